// Small pieces of HTML.

export function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

/** HTML of our own, from the program that made the page's. */
export const parsed = html => element('template', { innerHTML: html }).content;

/** A style sheet, once it is there. */
export const stylesheet = url => new Promise((resolve, reject) => {
    document.head.append(element('link', { rel: 'stylesheet', onload: resolve, onerror: reject, href: url }));
});
