// What the reader writes, kept in the browser by name: one store for listings, exercises and the notebook.
//
// localStorage has no transactions across tabs, so no tab ever overwrites what may be another's. Each version
// of a text has a key of its own, which is written once and names the versions that it replaces; these are
// removed only after it is stored. Two tabs that write at the same time leave two versions, and the reader is
// asked. Whatever the order in which they write, neither text is lost.
//
//     NAME @ID    a version: { text, …, from: [ID], time }
//     NAME ~ID    a text put aside, for Bring back: { text, …, order }
//     NAME        what an older edition of this page kept

/** Why something was not done, as a sentence. */
export class NotKept extends Error {}

/** The sentence of a NotKept; throws any other error. */
export function whyNotKept(error) {
    if (error instanceof NotKept) {
        return error.message;
    }
    throw error;
}

const NO_ROOM =
    'Nothing was changed: the browser’s storage is full, so your text could not be kept. Download it first.';
const IS_FULL = 'Not kept: the browser’s storage is full. Download your text before you leave the page.';
const PROGRESS_NOT_KEPT = 'Your progress is not kept: the browser’s storage is full.';
const PROGRESS_NOWHERE = 'Your progress is not kept: this browser stores nothing.';
const KEEPS_NOTHING = 'Not kept: this browser stores nothing. Download your text before you leave the page.';

/** As localStorage, for as long as the page is open. */
class Memory {
    #texts = new Map();
    keys = () => [...this.#texts.keys()];
    getItem = key => this.#texts.get(key) ?? null;
    setItem = (key, text) => void this.#texts.set(key, text);
    removeItem = key => void this.#texts.delete(key);
}

function usable() {
    try {
        localStorage.getItem('');
        return localStorage;
    } catch {
        return undefined;
    }
}

const disk = usable();
/** Whether what is written here is there when the page is opened again. */
export const isLasting = Boolean(disk);
const storage = disk ?? new Memory();
const allKeys = () => (disk ? Object.keys(disk) : storage.keys());

/** A text of JSON as a value; nothing, if `is` finds that it is something else. */
export function checked(text, is) {
    try {
        const value = JSON.parse(text);
        return is(value) ? value : undefined;
    } catch {
        return undefined;
    }
}

/** An identifier that no other tab makes; crypto.randomUUID is not there for pages without https. */
const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/** Removes the texts of links that were put aside, which nobody has written here, and which their links bring
    again; whether there were any. */
function makeRoom() {
    const asides = allKeys().filter(key => key.startsWith('workbook-') && key.includes(' ~'));
    const links = asides.filter(key => checked(storage.getItem(key), ({ isLink }) => isLink));
    links.forEach(key => storage.removeItem(key));
    return links.length > 0;
}

function put(key, value) {
    try {
        storage.setItem(key, JSON.stringify(value));
    } catch {
        if (!makeRoom()) {
            throw new NotKept(NO_ROOM);
        }
        put(key, value);
    }
}

const isVersion = value => typeof value.text === 'string' && Array.isArray(value.from)
    && Number.isFinite(value.time);
const isAside = value => typeof value.text === 'string' && Number.isFinite(value.order);

/** All that is kept under keys that begin so: { ...value, id, key }. */
function all(prefix, is) {
    const found = [];
    for (const key of allKeys().filter(key => key.startsWith(prefix))) {
        const value = checked(storage.getItem(key), is);
        if (value) {
            found.push({ ...value, id: key.slice(prefix.length), key });
        }
    }
    return found;
}

/** The value that was kept, without what the store has added. */
function bare({ id, key, from, time, order, ...value }) {
    return value;
}

const removed = value => JSON.stringify(value?.removed ?? []);
/** Whether it is the same text, and the same was removed from it. */
const isSame = (one, other) => one?.text === other?.text && removed(one) === removed(other);

/** A text by its name. `read` takes what an older edition kept under the name: { value, asides }. A value is
    { text, … }; `isLink` in it says that the text is a link's, and the reader has not edited it. */
class Kept {
    /** What this tab shows. */
    value;
    /** Whether `value` is stored. */
    isKept = true;
    /** The versions that `value` stands for. */
    #base = [];
    #name;

    constructor(name, read) {
        this.#name = name;
        const old = this.#migrate(read);
        this.#showNewest();
        if (this.value === undefined && old) {
            this.value = old;
            this.isKept = false;
        }
    }

    /** Brings over what an older edition kept. Without room for that it stays where it is. */
    #migrate(read) {
        const text = storage.getItem(this.#name);
        const old = text === null ? undefined : read(text);
        if (!old) {
            return undefined;
        }
        try {
            old.asides.toReversed().forEach(aside => this.putAside(aside));
            if (old.value) {
                put(this.#newKey(), { ...old.value, from: [], time: 0 });
            }
            storage.removeItem(this.#name);
        } catch {
            return old.value;
        }
        return undefined;
    }

    #newKey = () => `${this.#name} @${newId()}`;

    /** The versions that no other has replaced, the newest first. */
    #heads() {
        const versions = all(`${this.#name} @`, isVersion);
        const replaced = new Set(versions.flatMap(({ from }) => from));
        return versions.filter(({ id }) => !replaced.has(id))
            .sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1));
    }

    #showNewest() {
        const heads = this.#heads();
        this.value = heads.length ? bare(heads[0]) : undefined;
        this.#base = heads.filter(head => isSame(head, heads[0])).map(({ id }) => id);
        this.isKept = true;
    }

    #removeBase() {
        this.#base.forEach(id => storage.removeItem(`${this.#name} @${id}`));
        this.#base = [];
    }

    /** Stores `value` as the successor of what this tab shows; rejects with NotKept, and then nothing has
        changed. */
    #store(value) {
        if (value === undefined) {
            this.#removeBase();
        } else {
            const same = this.#heads().filter(head => isSame(head, value)).map(({ id }) => id);
            const from = [...new Set([...this.#base, ...same])];
            const key = this.#newKey();
            put(key, { ...value, from, time: Date.now() });
            this.#base = from;
            this.#removeBase();
            this.#base = [key.slice(this.#name.length + 2)];
        }
        this.value = value;
        this.isKept = true;
    }

    /** Keeps what the reader has typed: nothing to say, or that it is not kept. Undefined: it is the given
        text again. */
    write(value) {
        try {
            this.#store(value);
        } catch {
            this.value = value;
            this.isKept = false;
            return IS_FULL;
        }
        return isLasting ? '' : KEEPS_NOTHING;
    }

    /** Takes `value` in the place of the text, which is put aside before. Throws NotKept, and then nothing
        has changed. */
    replace(value) {
        if (this.isKept && isSame(this.value, value)) {
            return;
        }
        const aside = this.putAside(this.value, this.value?.isLink);
        // Before: another tab may put the very text aside as soon as it is stored, and remove it then.
        const same = this.asides().filter(aside => isSame(aside, value));
        try {
            this.#store(value);
        } catch (error) {
            if (aside) {
                storage.removeItem(aside);
            }
            throw error;
        }
        same.forEach(({ key }) => storage.removeItem(key));
    }

    // Bring back.

    /** What was put aside, what comes back next first. */
    asides() {
        return all(`${this.#name} ~`, isAside).sort((a, b) => b.order - a.order || (a.id < b.id ? 1 : -1));
    }

    /** Puts a text aside, to come back next; or last, which is where links stay, so that they never come
        before the reader's own. Its key, if it was not there. Throws NotKept. */
    putAside(value, isLast = false) {
        const asides = this.asides();
        const same = asides.filter(aside => isSame(aside, value));
        if (value === undefined || (isLast && same.length > 0)) {
            return undefined;
        }
        const orders = asides.map(({ order }) => order);
        const order = isLast ? Math.min(0, ...orders) - 1 : Math.max(0, ...orders) + 1;
        const key = `${this.#name} ~${newId()}`;
        put(key, { ...value, order });
        same.forEach(({ key }) => storage.removeItem(key));
        return same.length ? undefined : key;
    }

    /** The text put aside last takes the place of the one that is there, which comes back after all others.
        Throws NotKept. */
    bringBack() {
        const [aside] = this.asides();
        this.putAside(this.value, true);
        this.#store(bare(aside));
        storage.removeItem(aside.key);
    }

    // Other tabs.

    /** What other tabs have made of it meanwhile, unless this tab follows it. */
    others() {
        return this.#heads().filter(head => !this.#base.includes(head.id) && !isSame(head, this.value));
    }

    /** Looks at what is kept. A tab whose text another has replaced, or that has none of its own, follows;
        whether it has. */
    follow() {
        const heads = this.#heads();
        const stands = heads.some(({ id }) => this.#base.includes(id));
        if (stands || !this.isKept || (heads.length === 0 && this.value === undefined)) {
            return false;
        }
        const before = this.value;
        this.#showNewest();
        return !isSame(before, this.value);
    }

    /** The reader keeps this tab's text; the others are put aside. Throws NotKept. */
    keepMine() {
        for (const other of this.others()) {
            this.putAside(bare(other));
            storage.removeItem(other.key);
        }
    }

    /** The reader takes the other tab's text; this tab's is put aside. Throws NotKept. */
    showTheirs() {
        const [other] = this.others();
        this.putAside(this.value);
        this.#removeBase();
        this.value = bare(other);
        this.#base = [other.id];
        this.isKept = true;
    }

    /** Calls `changed` when another tab may have written. */
    watch(changed) {
        addEventListener('storage', ({ key }) => (key === null || key.startsWith(this.#name)) && changed());
        addEventListener('pageshow', changed);
    }
}

const known = new Map();

const asText = text => ({ value: { text }, asides: [] });

/** What is kept by this name, the same for all of the page. */
export function kept(name, read = asText) {
    if (!known.has(name)) {
        known.set(name, new Kept(name, read));
    }
    return known.get(name);
}

/** Puts the texts aside that an older edition kept under keys that begin with `prefix`, numbered from the
    second. */
export function adopt(text, prefix) {
    const number = key => Number(key.match(/-(\d+)$/)?.[1] ?? 1);
    const keys = allKeys().filter(key => key.startsWith(prefix));
    for (const key of keys.sort((a, b) => number(a) - number(b))) {
        try {
            text.putAside({ text: storage.getItem(key) });
            storage.removeItem(key);
        } catch {
            return; // until there is room, it stays where it is
        }
    }
}

/** A value that several tabs add to, of which `merge` makes one of two. `read` makes one of a text. */
export class Merged {
    #name;
    #read;
    #merge;
    /** What there was no room for. */
    #unkept = [];

    constructor(name, read, merge) {
        this.#name = name;
        this.#read = read;
        this.#merge = merge;
    }

    #parts() {
        const versions = all(`${this.#name} @`, isVersion);
        const old = storage.getItem(this.#name);
        return old === null ? versions : [...versions, { text: old, key: this.#name }];
    }

    #of = parts => [...parts.map(({ text }) => this.#read(text)), ...this.#unkept].reduce(this.#merge);

    /** The value; `empty`, if nothing is kept. */
    get(empty) {
        const parts = this.#parts();
        return parts.length || this.#unkept.length ? this.#of(parts) : empty;
    }

    /** Merges `value` with what is kept, and keeps it: nothing to say, or that it is not kept. */
    add(value) {
        const parts = this.#parts();
        this.#unkept.push(value);
        const whole = this.#of(parts);
        try {
            put(`${this.#name} @${newId()}`, { text: JSON.stringify(whole), from: [], time: Date.now() });
        } catch {
            return PROGRESS_NOT_KEPT;
        }
        this.#unkept = [];
        parts.forEach(({ key }) => storage.removeItem(key));
        return isLasting ? '' : PROGRESS_NOWHERE;
    }
}
