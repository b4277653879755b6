// What a server says that has other files than the book: their entries in live/files.json, which the page
// goes by.

const crypto = require('node:crypto');

/** What a file is when it has come whole. */
const about = content => ({ bytes: content.length,
    sha256: crypto.createHash('sha256').update(content).digest('hex') });

/** The text of a files.json, `text`, in which each file is as `change(name, entry)` says: its entry, which
    `about` makes. */
module.exports = (text, change, more = {}) => {
    const list = { ...JSON.parse(text), ...more };
    for (const [name, entry] of Object.entries(list.files)) {
        list.files[name] = change(name, entry);
    }
    return JSON.stringify(list);
};
module.exports.about = about;

/** Lets a page have a script of live/, `name`, as `change(text)` makes it. */
module.exports.changed = async (page, name, change) => {
    const text = async address => (await fetch(address)).text();
    await page.setRequestInterception(true);
    page.on('request', async request => {
        const address = request.url();
        const isList = address.endsWith('/live/files.json');
        if (!isList && !address.endsWith(`/live/${name}`)) {
            request.continue();
            return;
        }
        const body = change(await text(new URL(name, address)));
        if (isList) {
            const list = module.exports(await text(address),
                (file, entry) => (file === name ? about(Buffer.from(body)) : entry));
            request.respond({ contentType: 'application/json', body: list });
        } else {
            request.respond({ contentType: 'text/javascript', body });
        }
    });
};
