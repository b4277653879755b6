// What stands below a listing that is being edited: run it, compare it with the printed one, take it along,
// give it up.

import { ownText } from './card_text.js';
import { diff } from './diff.js';
import * as edits from './edits.js';
import { button, element, save, terminal } from './html.js';
import * as listings from './listings.js';

const IS_OLD = 'The book’s source has changed since you made this edit. Diff shows all that differs.';
const NOT_THERE = 'This code has no such part, so all of it stands here. Reset shows the printed source ' +
    'again; your edit is kept.';
const RESET = 'The printed source again. Your edit is kept: Bring back.';

/** Characters that a kernel's name has at most. */
const MAX_NAME = 1000;

/** The kernels that a listing has: the names before the first parentheses after `__global__`. */
function kernels({ pre }) {
    const before = pre.querySelector('code').textContent.split('(').slice(0, -1);
    const heads = before.filter(text => text.includes('__global__'));
    return heads.map(text => text.trimEnd().slice(-MAX_NAME).match(/\w+$/)?.[0]);
}

/** The cell that runs what a listing shows: the next below it, else the last above. */
export function cellOf(listing, cells) {
    const ofFile = cells.filter(({ live }) => live.file === listing.file);
    const names = kernels(listing);
    const runs = ({ live }) => live.kernels.length === 0
        || live.kernels.some(kernel => names.includes(kernel));
    const some = ofFile.some(runs) ? ofFile.filter(runs) : ofFile;
    const isBelow = ({ element }) =>
        listing.pre.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    return some.find(isBelow) ?? some.at(-1);
}

/** The listing whose kernels a cell runs: one that leads to it, rather one that is edited. */
export function listingOf(cell, cells) {
    const all = listings.ofFile(cell.live.file);
    const own = all.filter(listing => cellOf(listing, cells) === cell);
    return own.find(({ caption }) => caption.matches('.edited')) ?? own.at(-1) ?? all[0];
}

/** All listings of a file follow its source. */
export function showSource(file) {
    for (const listing of listings.ofFile(file.path)) {
        const [part, printed] = [file.source, file.printed].map(source => edits.part(source, listing.anchor));
        listings.showPart(listing, part, printed);
        const { lines, first } = edits.editable(file.source, listing.anchor);
        listing.code.editor?.show(lines.join('\n'), first);
        listing.showDiff?.();
    }
}

const SIGNS = { '-': 'del', '+': 'ins', ' ': 'span', '…': 'span' };

function showDiff(pre, file) {
    const lines = diff(file.printed, file.source);
    const shown = lines.map(([sign, line]) => element(SIGNS[sign], {}, `${sign} ${line}\n`));
    pre.replaceChildren(...terminal(...(shown.length ? shown
        : ['Nothing differs from the printed source.\n'])).children);
}

const download = ({ path, source }) => save(path.split('/').at(-1), source);

/** Puts an editor in the place of a listing of `file`. `press` runs its cell, or stops it; `changed` hears of
    every edit. */
export async function open(listing, file, cell, { press, runAndGoOn, changed }) {
    const { code, caption } = listing;
    if (code.editor) {
        code.editor.focus();
        return;
    }
    const { lines, first } = edits.editable(file.source, listing.anchor);
    const status = element('span', { className: 'card-status', role: 'status' });
    const say = sentence => (status.textContent = sentence);

    /** The page follows the source. */
    const follow = () => {
        showSource(file);
        changed();
    };
    const own = ownText(file.draft, { shown: follow, say });
    const hear = text => {
        say(edits.write(file, edits.withText(file.source, listing.anchor, text)));
        follow();
        own.follow();
    };
    const comparison = element('pre', { className: 'workbench-diff', hidden: true });
    listing.showDiff = () => comparison.hidden || showDiff(comparison, file);
    const compare = ({ currentTarget }) => {
        comparison.hidden = !comparison.hidden;
        currentTarget.ariaPressed = String(!comparison.hidden);
        listing.showDiff();
    };
    const close = () => {
        code.close();
        cell.benches.delete(bench);
        listing.showDiff = null;
        showSource(file);
        caption.querySelector('button').focus();
    };
    const run = button('Run', press, { className: 'card-run',
        title: 'Ctrl+Enter; Shift+Enter runs and goes to the cell' });
    const bar = element('div', { className: 'card-bar', role: 'group', ariaLabel: `Your ${file.path}` },
        run,
        button('Diff', compare, { ariaPressed: 'false', title: 'Against the printed source' }),
        button('Reset', () => own.tryTo(() => edits.reset(file), RESET),
            { title: 'The printed source again, in all listings of the file; your edit is kept' }),
        own.back,
        button('Download', () => download(file)),
        button('Copy link', async () => say(await edits.copyLink(cell.element.id, file,
            'this code and these controls'))),
        button('Close', close),
        status);
    const frame = element('div', { className: 'workbench' });
    const bench = { frame, run, status };
    const isNew = await code.open({
        text: lines.join('\n'),
        first,
        label: `${file.path}, from line ${first}. Shift+Enter runs it and goes on, Ctrl+Enter runs it and ` +
            `stays.`,
        keys: [runAndGoOn, press],
        changed: hear,
        around: editor => {
            frame.append(editor, bar, own.question, comparison);
            return frame;
        },
    });
    if (!isNew) {
        return;
    }
    cell.benches.add(bench);
    const { editor } = code;
    own.watch(() => code.editor === editor);
    if (edits.part(file.source, listing.anchor)) {
        say(file.isOld ? IS_OLD : '');
    } else {
        say(NOT_THERE);
    }
}
