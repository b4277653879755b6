// Whether bytes from the network or from a store are what they are to be, for the page's scripts and for the
// service worker (../offline.js). The preprocessor says in files.json what each file of this folder is: {
// bytes, sha256 }.
'use strict';

/** What these bytes are. Pages without https or localhost have no digest: there it is the length alone. */
globalThis.aboutBytes = async bytes => {
    const about = { bytes: bytes.byteLength };
    if (globalThis.crypto?.subtle) {
        const digest = await crypto.subtle.digest('SHA-256', bytes);
        about.sha256 = Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0'))
            .join('');
    }
    return about;
};

/** Whether these bytes are what `about` says. */
globalThis.isWhole = async (bytes, about) => {
    if (bytes.byteLength !== about.bytes) {
        return false; // which takes no time
    }
    const { sha256 = about.sha256 } = await aboutBytes(bytes);
    return sha256 === about.sha256;
};
