// What stands below a listing that is being edited: run it, compare it with the printed one, take it along, give it up.

import { asked } from './asked.js';
import { diff } from './diff.js';
import * as edits from './edits.js';
import { fetchedModule } from './fetched.js';
import { button, element, save, terminal } from './html.js';
import * as listings from './listings.js';
import { whyNotKept } from './store.js';

const BACK = 'Back to my own edit';
const FOLLOWS = 'This is what you wrote in another tab.';
const IS_OLD = 'The book’s source has changed since you made this edit. Diff shows all that differs.';
const NOT_THERE = 'Your edit of this file has no such part. Reset in another listing of the file gives it up.';

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
    const runs = ({ live }) => live.kernels.length === 0 || live.kernels.some(kernel => names.includes(kernel));
    const some = ofFile.some(runs) ? ofFile.filter(runs) : ofFile;
    const isBelow = ({ element }) => listing.pre.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
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
        if (listing.editor && part) {
            listing.editor.show(part.lines.join('\n'), part.first);
        }
        listing.showDiff?.();
    }
}

const SIGNS = { '-': 'del', '+': 'ins', ' ': 'span', '…': 'span' };

function showDiff(pre, file) {
    const lines = diff(file.printed, file.source);
    const shown = lines.map(([sign, line]) => element(SIGNS[sign], {}, `${sign} ${line}\n`));
    pre.replaceChildren(...terminal(...(shown.length ? shown : ['Nothing differs from the printed source.\n'])).children);
}

const download = ({ path, source }) => save(path.split('/').at(-1), source);

/** Puts an editor in the place of a listing of `file`. `press` runs its cell, or stops it; `changed`
    hears of every edit. */
export async function open(listing, file, cell, { press, runAndGoOn, changed }) {
    if (listing.editor) {
        listing.editor.focus();
        return;
    }
    const part = edits.part(file.source, listing.anchor);
    const { editor } = await fetchedModule('editor.js');
    const status = element('span', { className: 'workbench-status', role: 'status' });
    status.dataset.cell = cell.number;
    const say = sentence => (status.textContent = sentence);
    if (!part) {
        listing.caption.append(status);
        say(NOT_THERE);
        return;
    }

    /** The page follows the source. */
    const follow = () => {
        showSource(file);
        changed();
        back.hidden = file.draft.asides().length === 0;
        question.follow();
    };
    const hear = source => {
        say(edits.write(file, source));
        follow();
    };
    /** Does what may need room in the browser; says why, if there is none. */
    const tryTo = act => () => {
        try {
            act();
            say('');
        } catch (error) {
            say(whyNotKept(error));
        }
        follow();
    };
    const made = editor({
        text: part.lines.join('\n'),
        first: part.first,
        label: `${file.path}, from line ${part.first}. Shift+Enter runs it and goes on, Ctrl+Enter runs it and stays. Tab indents; Escape, then Tab leaves.`,
        keys: { 'Shift-Enter': runAndGoOn, 'Mod-Enter': press },
        changed: text => hear(edits.withPart(file.source, listing.anchor, text)),
    });

    const comparison = element('pre', { className: 'workbench-diff', hidden: true });
    listing.showDiff = () => comparison.hidden || showDiff(comparison, file);
    const compare = ({ currentTarget }) => {
        comparison.hidden = !comparison.hidden;
        currentTarget.ariaPressed = String(!comparison.hidden);
        listing.showDiff();
    };
    const close = () => {
        listing.editor = null;
        listing.showDiff = null;
        made.close();
        bench.remove();
        frame.classList.remove('in-editor');
        showSource(file);
        listing.caption.querySelector('button').focus();
    };
    const bar = element('div', { className: 'workbench-bar', role: 'group', ariaLabel: `Your ${file.path}` },
        button('Run', press, { className: 'workbench-run', title: 'Ctrl+Enter; Shift+Enter runs and goes to the cell' }),
        button('Diff', compare, { ariaPressed: 'false', title: 'Against the printed source' }),
        button('Reset', tryTo(() => edits.reset(file)), { title: 'The printed source again, in all listings of the file; your edit can be had back' }),
        button('Download', () => download(file)),
        button('Copy link', async () => say(await edits.copyLink(cell.element.id, file, 'this code and these controls'))),
        button('Close', close),
        status);
    const back = button(BACK, tryTo(() => file.draft.bringBack()), { hidden: file.draft.asides().length === 0 });
    bar.insertBefore(back, status);
    const question = asked(file.draft, { shown: follow, say, bringBack: BACK });
    file.draft.watch(() => {
        if (listing.editor !== made) {
            return;
        }
        if (file.draft.follow()) {
            say(FOLLOWS);
        }
        follow();
    });
    const bench = element('div', { className: 'workbench' }, made.frame, bar, question.frame, comparison);
    bench.dataset.cell = cell.number;
    const frame = listing.pre.closest('.listing-marked') ?? listing.pre;
    frame.classList.add('in-editor');
    frame.after(bench);
    listing.editor = made;
    listing.marks.forEach(made.mark);
    say(file.isOld ? IS_OLD : '');
    made.focus();
}
