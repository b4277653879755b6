// What the reader has written: for each kernel file of the page its source as printed and as edited. Edits
// are kept in the browser, by page and file, and travel in the address of a link.

import { printed } from './simulator.js';
import { checked, isLasting, kept } from './store.js';

const isText = value => typeof value === 'string';

/** What an older edition of this page kept: { printed, source, before }. */
function older(text) {
    const draft = checked(text, ({ printed, source }) => isText(printed) && isText(source));
    if (!draft) {
        return undefined;
    }
    const { printed, source, before } = draft;
    return { value: { text: source, printed }, asides: isText(before) ? [{ text: before, printed }] : [] };
}

/** The reader's edit of a file of this page, as store.js keeps it: { text, printed, isLink }, where `printed`
    is the source that was edited. */
const draft = path => kept(`workbook-edit ${window.workbook.page} ${path}`, older);

/** A kernel file: as printed, and as the page shows it. */
class File {
    constructor(path, printed) {
        this.path = path;
        this.printed = printed;
        this.draft = draft(path);
        /** Whether the book's source has changed since the edit was made. */
        this.isOld = this.draft.value !== undefined && this.draft.value.printed !== printed;
    }

    get source() {
        return this.draft.value?.text ?? this.printed;
    }
}

/** By path. */
const files = new Map();

/** A file of this page that is printed so, with what the reader has made of it. */
export function opened(path, printed) {
    if (!files.has(path)) {
        files.set(path, new File(path, printed));
    }
    return files.get(path);
}

/** The same of the file that a cell runs. */
export const open = async ({ live: { stem, file } }) => opened(file, await printed(stem));

/** The file that a cell runs, if it is edited. */
export function edited({ live }) {
    const file = files.get(live.file);
    return file && file.source !== file.printed ? file : undefined;
}

/** Whether there is something for `open` to bring back. */
export const hasDraft = ({ live }) => draft(live.file).value !== undefined;

const value = ({ printed }, source) => (source === printed ? undefined : { text: source, printed });

/** Keeps `source`, which the reader has written. Says if it is not kept. */
export function write(file, source) {
    file.isOld &&= source !== file.printed;
    return file.draft.write(value(file, source));
}

/** The printed source again; the reader's is put aside. Throws NotKept, and then nothing has changed. */
export function reset(file) {
    file.draft.replace(undefined);
    file.isOld = false;
}

/** Shows the source of a link; the reader's own is put aside, however many links come. Throws NotKept, and
    then nothing has changed. */
export function writeLink(file, source) {
    file.draft.replace(source === file.printed ? undefined : { ...value(file, source), isLink: true });
    file.isOld = false;
}

// A listing shows what stands between two comments, `ANCHOR: name` and `ANCHOR_END: name`.

const names = (word, anchor) => line => line.match(/(ANCHOR(?:_END)?):\s*([\w-]+)/)?.slice(1)
    .join() === `${word},${anchor}`;

/** The part of a source that a listing shows: { first, lines }, numbered from 1; null if the source has no
    such part. */
export function part(source, anchor) {
    const lines = source.split('\n');
    const [start, end] = [lines.findIndex(names('ANCHOR', anchor)) + 1,
        lines.findLastIndex(names('ANCHOR_END', anchor))];
    return start > 0 && end >= start ? { first: start + 1, lines: lines.slice(start, end) } : null;
}

/** What an editor of that listing shows, as { first, lines }: the part, or the whole of a source that has no
    such part. */
export const editable = (source, anchor) => part(source, anchor) ?? { first: 1, lines: source.split('\n') };

/** The source with `text` in the place of what its editor shows. */
export function withText(source, anchor, text) {
    const { first, lines } = editable(source, anchor);
    const all = source.split('\n');
    all.splice(first - 1, lines.length, ...text.split('\n'));
    return all.join('\n');
}

// Links: `#cell-1&code=…`, `#notebook&code=…`, JSON of { file, source }, deflated, in base64url.

/** Also of one that was cut off before its code. */
const LINK = /^#([\w-]+)&(?:code=)?(.*)$/;
const MAX_CHARACTERS = 1_000_000;

/** The id of the card that the address has code for, if it has any. */
export const linked = () => location.hash.match(LINK)?.[1];

/** What a link holds. */
const held = ({ path, source }) => JSON.stringify({ file: path, source });

async function link(id, file) {
    const deflated = new Blob([held(file)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
    const code = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')).replaceAll('+', '-')
        .replaceAll('/', '_').replaceAll('=', '');
    const address = new URL(location.href);
    address.hash = `${id}&code=${code}`;
    return address.href;
}

const TOO_LONG = 'There is no link: this is more than one can open. Send it as a file.';

/** Gives the reader a link to `what`, which leads to the part of the page with this id; what to say. */
export async function copyLink(id, file, what) {
    if (held(file).length > MAX_CHARACTERS) {
        return TOO_LONG;
    }
    const address = await link(id, file);
    try {
        await navigator.clipboard.writeText(address);
        return `The link is copied. It shows ${what}; whoever opens it presses Run.`;
    } catch {
        history.replaceState({ isOwn: true }, '', address);
        return 'The link stands in the address bar.';
    }
}

/** Whether copyLink has put the link there, and the page is loaded again: the browser keeps the reader's
    text, or a later one. */
const isOwn = () => isLasting && history.state?.isOwn;

/** What the address brings for the card with this id, and then has no more; `{}` of a link that was cut off,
    or is none of ours; nothing if it is no link to that card, or the page's own.
    @returns {Promise<{ file?: string, source?: string } | undefined>} */
export async function fromLink(id) {
    const [, card, code] = location.hash.match(LINK) ?? [];
    if (card === undefined || card !== id) {
        return undefined;
    }
    history.replaceState(history.state, '', `#${id}`);
    return isOwn() ? undefined : read(code).catch(() => ({}));
}

async function read(code) {
    const bytes = Uint8Array.from(atob(code.replaceAll('-', '+').replaceAll('_', '/')),
        char => char.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        text += decoder.decode(piece.value, { stream: true });
        if (text.length > MAX_CHARACTERS) {
            await reader.cancel();
            throw new Error('too long');
        }
    }
    const { file, source } = JSON.parse(text);
    if (typeof file !== 'string' || typeof source !== 'string') {
        throw new Error('no source');
    }
    return { file, source };
}
