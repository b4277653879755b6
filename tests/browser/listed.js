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
