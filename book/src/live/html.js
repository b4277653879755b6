// Small pieces of HTML.

export function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

/** Gives the reader `text` as a file. */
export function save(name, text, type = 'text/plain') {
    const address = URL.createObjectURL(new Blob([text], { type }));
    element('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000); // a browser may come for it later
}

/** HTML of our own, from the program that made the page's. */
export const parsed = html => element('template', { innerHTML: html }).content;

/** A style sheet, once it is there. */
export const stylesheet = url => new Promise((resolve, reject) => {
    document.head.append(element('link', { rel: 'stylesheet', onload: resolve, onerror: reject, href: url }));
});
