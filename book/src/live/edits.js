// What the reader has written: for each kernel file of the page its source as printed and as edited. Edits are kept in
// the browser, by page and file, and travel in the address of a link.

import * as kept from './kept.js';
import { printed } from './simulator.js';

/** { path, printed, source }, by path; `isOld` if the book's source has changed since the edit was made; `isLink` if the
    source is that of a link, and the reader has not edited it; `own`: the reader's edits that made way for links, the last
    one last. */
const files = new Map();

const key = path => `workbook-edit ${location.pathname} ${path}`;

const isText = value => typeof value === 'string';
const isDraft = ({ printed, source, own = [] }) => isText(printed) && isText(source) && Array.isArray(own) && own.every(isText);

/** What the browser keeps: { printed, source, isLink, own }; `before`, of an older edition of this page, is the one of `own`. */
const draft = path => kept.checked(kept.get(key(path)), isDraft);

function keep({ path, printed, source, isLink, own }) {
    const isEdited = source !== printed || own.length > 0;
    kept.set(key(path), isEdited ? JSON.stringify({ printed, source, isLink, own }) : undefined);
}

/** The file that a cell runs, with what the reader has made of it. */
export async function open({ live: { stem, file: path } }) {
    const source = await printed(stem);
    if (!files.has(path)) {
        const held = draft(path) ?? { printed: source, source };
        const own = held.own ?? (isText(held.before) ? [held.before] : []);
        files.set(path, { path, printed: source, source: held.source, isLink: Boolean(held.isLink), own, isOld: held.printed !== source });
    }
    return files.get(path);
}

/** The file that a cell runs, if it is edited. */
export function edited({ live }) {
    const file = files.get(live.file);
    return file && file.source !== file.printed ? file : undefined;
}

/** Whether there is something for `open` to bring back. */
export const hasDraft = ({ live }) => draft(live.file) !== undefined;

/** Whether the file's source is the reader's own: neither the printed one nor that of a link. */
const isOwn = ({ source, printed, isLink }) => source !== printed && !isLink;

function show(file, source, isLink) {
    file.source = source;
    file.isLink = isLink;
    file.isOld &&= source !== file.printed;
    keep(file);
}

/** Takes `source`, which the reader has written, as the file's. */
export const write = (file, source) => show(file, source, file.isLink && source === file.source);

/** Takes the source of a link as the file's. The reader's own can be had back, however many links come after it. */
export function writeLink(file, source) {
    if (isOwn(file) && file.source !== source) {
        file.own.push(file.source);
    }
    show(file, source, true);
}

/** The reader's own edit again, the one that made way last. Another own one that is there comes back after it. */
export function backToOwn(file) {
    const source = file.own.pop();
    if (isOwn(file)) {
        file.own.unshift(file.source);
    }
    show(file, source, false);
    return source;
}

// A listing shows what stands between two comments, `ANCHOR: name` and `ANCHOR_END: name`.

const names = (word, anchor) => line => line.match(/(ANCHOR(?:_END)?):\s*([\w-]+)/)?.slice(1).join() === `${word},${anchor}`;

/** The part of a source that a listing shows: { first, lines }, numbered from 1; null if the source has no such part. */
export function part(source, anchor) {
    const lines = source.split('\n');
    const [start, end] = [lines.findIndex(names('ANCHOR', anchor)) + 1, lines.findLastIndex(names('ANCHOR_END', anchor))];
    return start > 0 && end >= start ? { first: start + 1, lines: lines.slice(start, end) } : null;
}

/** The source with `text` in that part. */
export function withPart(source, anchor, text) {
    const { first, lines } = part(source, anchor);
    const all = source.split('\n');
    all.splice(first - 1, lines.length, ...text.split('\n'));
    return all.join('\n');
}

// Links: `#cell-1&code=…`, `#notebook&code=…`, JSON of { file, source }, deflated, in base64url.

const LINK = /^#([\w-]+)&code=(.*)$/;
const MOST = 1_000_000;

async function link(id, { path, source }) {
    const text = new Blob([JSON.stringify({ file: path, source })]);
    const deflated = text.stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
    const code = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const address = new URL(location);
    address.hash = `${id}&code=${code}`;
    return address.href;
}

/** Gives the reader a link to `what`, which leads to the part of the page with this id; what to say. */
export async function copyLink(id, file, what) {
    const address = await link(id, file);
    try {
        await navigator.clipboard.writeText(address);
        return `The link is copied. It shows ${what}; whoever opens it presses Run.`;
    } catch {
        history.replaceState(history.state, '', address);
        return 'The link stands in the address bar.';
    }
}

/** What the address brings, which then has it no more: { file, source }; `{}` of a link that was cut off, or is none of ours; nothing if it
    is no link. */
export async function fromLink() {
    const [, id, code] = location.hash.match(LINK) ?? [];
    if (!id) {
        return undefined;
    }
    history.replaceState(history.state, '', `#${id}`);
    return read(code).catch(() => ({}));
}

async function read(code) {
    const bytes = Uint8Array.from(atob(code.replaceAll('-', '+').replaceAll('_', '/')), char => char.charCodeAt());
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        text += decoder.decode(piece.value, { stream: true });
        if (text.length > MOST) {
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
