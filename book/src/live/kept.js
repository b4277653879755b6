// What the browser keeps, by name. One that keeps nothing has it as long as the page is open.

const lost = new Map();

/** Whether the browser keeps what it is given. */
export const keeps = () => lost.size === 0;

export function get(name) {
    try {
        return lost.get(name) ?? localStorage.getItem(name) ?? undefined;
    } catch {
        return undefined;
    }
}

/** Keeps a text; nothing, if it is undefined. */
export function set(name, text) {
    try {
        lost.delete(name);
        if (text === undefined) {
            localStorage.removeItem(name);
        } else {
            localStorage.setItem(name, text);
        }
    } catch {
        lost.set(name, text);
    }
}

export function names() {
    try {
        return [...new Set([...Object.keys(localStorage), ...lost.keys()])];
    } catch {
        return [...lost.keys()];
    }
}

/** A text of JSON as a value; nothing, if `is` finds that it is something else. */
export function checked(text, is) {
    try {
        const value = JSON.parse(text);
        return is(value) ? value : undefined;
    } catch {
        return undefined;
    }
}
