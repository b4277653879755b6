// A whole program on a chapter's page: its card becomes one in which it is changed, compiled and run.
// theme/exercises.js fetches this when the card is opened.

import { perform, runOrStop, say, showAge } from './card.js';
import { Code } from './card_code.js';
import { looks } from './card_result.js';
import { ownText } from './card_text.js';
import { addCures, edited, offers } from './cures.js';
import * as edits from './edits.js';
import { load, reason } from './fetched.js';
import { button, element, highlight, save, stylesheet } from './html.js';
import { recalled, remember } from './remembered.js';
import { whyNotKept } from './store.js';

const RESET = 'The printed program again. Yours is kept: Bring back.';
const IS_OLD = 'The book’s program has changed since you wrote this. Reset shows the new one; yours is kept.';
const LINK = 'The program of a link. It runs when you press Run.';

/** Makes the card of a program one that runs it. */
export async function show(card) {
    await Promise.all([looks(), stylesheet('notebook.css')]);
    const pre = card.querySelector(':scope > pre:has(> .language-cpp)');
    const listing = pre.querySelector('code');
    const file = edits.opened(card.dataset.file, `${listing.textContent.trimEnd()}\n`);
    const name = file.path.split('/').at(-1);
    const code = new Code(pre);
    const key = `program ${file.path}`;
    const program = {
        verb: 'Run',
        out: element('div', { className: 'notebook-out' }),
        /** What the result shows: what a run gave of this source, and what cures that. */
        came: undefined,
        isOld: () => program.came?.source !== file.source,
        places: () => [place],
    };
    const status = element('span', { className: 'card-status', role: 'status' });

    /** The card shows the reader's text. */
    const follow = () => {
        code.editor?.show(file.source, 1);
        highlight(listing, file.source);
        showAge(program);
    };
    const own = ownText(file.draft, { shown: follow, say: sentence => say(program, sentence) });
    const changed = text => {
        const why = edits.write(file, text);
        if (why) {
            say(program, why);
        }
        showAge(program);
        own.follow();
    };
    const run = () => perform(program, ran);
    const press = () => runOrStop(program, run);
    const open = (takesFocus = true) => code.open({
        text: file.source,
        first: 1,
        label: `${name}. Shift+Enter or Ctrl+Enter runs it.`,
        keys: [press, press],
        changed,
        takesFocus,
    });
    const edit = () => open().catch(error => say(program, reason(error, 'Press Edit')));

    /** Shows what a run gives. */
    async function ran(signal, tell) {
        const [own] = await Promise.all([load('own_run.js'), open(false)]);
        code.unmark('found', name);
        const { source } = file;
        const { came, launched } = await own.runOwn({ path: name, source }, signal, tell);
        const shows = showRun(own, { ...came, cures: [] });
        remember(key, program.came);
        program.came.cures = await addCures({ run: launched, ...shows }, ofCures, signal, tell);
        remember(key, program.came);
        showAge(program); // it may have been changed meanwhile
    }

    const ofCures = {
        isOld: program.isOld,
        say: sentence => say(program, sentence),
        show: cures => program.out.prepend(...cures),
        take,
    };

    function showRun({ shown }, came) {
        const reveal = line => code.editor?.reveal(line);
        const run = shown(came, reveal);
        run.sites.forEach(site => code.mark({ ...site, cell: name, kind: 'found',
            go: (_, line) => reveal(line) }));
        program.came = came;
        program.out.classList.remove('old');
        program.out.replaceChildren(...offers(came.cures, ofCures), ...run.parts);
        say(program, run.sentence);
        return run;
    }

    /** The card shows what it showed before a reload, if that is of this source. */
    async function recall() {
        const came = recalled(key);
        if (came?.source === file.source) {
            showRun(await load('own_run.js'), came);
        }
    }

    /** Puts edits into the program. */
    async function take(edits) {
        await open(false);
        changed(edited(file.source, edits));
        follow();
        code.editor.reveal(edits[0].line);
    }

    /** The program of a link is shown, and does not run. */
    async function fromLink() {
        const shared = await edits.fromLink(card.id);
        if (!shared) {
            return;
        }
        if (shared.file !== file.path) {
            say(program, 'The program in this link cannot be read. Was it cut off?');
            return;
        }
        try {
            edits.writeLink(file, shared.source);
        } catch (error) {
            say(program, whyNotKept(error));
            return;
        }
        follow();
        own.follow();
        await edit();
        say(program, LINK);
    }

    const runButton = button('Run', press,
        { className: 'card-run', title: 'Ctrl+Enter or Shift+Enter in the editor' });
    const bar = element('div', { className: 'card-bar notebook-bar', role: 'group', ariaLabel: name },
        runButton,
        button('Edit', edit),
        button('Reset', () => own.tryTo(() => edits.reset(file), RESET),
            { title: 'The printed program again; yours is kept' }),
        own.back,
        button('Download', () => save(name, file.source)),
        button('Copy link', async () => say(program, await edits.copyLink(card.id, file, 'this program'))),
        status);
    const frame = element('section', { className: 'notebook-cell', ariaLabel: name });
    const place = { frame, run: runButton, status };
    pre.before(frame);
    frame.append(pre, bar, own.question, program.out);
    follow();
    own.watch();
    if (file.isOld) {
        say(program, IS_OLD);
    }
    await recall().catch(() => {}); // a run shows it again
    addEventListener('hashchange', fromLink);
    await fromLink();
}
