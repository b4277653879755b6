// What this tab remembers over a reload, and until the reader comes back to a page: what cards have said.
// Only of this version of the book; what there is no room for is forgotten.

const version = document.querySelector('[data-book-version]')?.dataset.bookVersion;
const nameOf = key => `workbook ${key}`;

/** What was remembered under `key`; null, if nothing was. */
export function recalled(key) {
    try {
        const { version: of, value } = JSON.parse(sessionStorage.getItem(nameOf(key)));
        return of === version ? value : null;
    } catch {
        return null;
    }
}

export function remember(key, value) {
    try {
        sessionStorage.removeItem(nameOf(key));
        sessionStorage.setItem(nameOf(key), JSON.stringify({ version, value }));
    } catch {
        // There is no room, or the browser stores nothing.
    }
}
