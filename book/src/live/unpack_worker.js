// Unpacks what fetched.js sends, by vendor/fzstd.js.
'use strict';

onmessage = ({ data }) => {
    const bytes = fzstd.decompress(new Uint8Array(data));
    postMessage({ bytes }, [bytes.buffer]);
};
