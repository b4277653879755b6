// The page of all exercises: what is done, what is next, and progress and answers as files, out of the
// browser and into it.

import * as store from './exercise_store.js';
import { button, counted, element, save, stylesheet, thousands } from './html.js';
import { isLasting, whyNotKept } from './store.js';

const NO_PROGRESS =
    'has no progress or answers: it should be .exercises.json, from the repository or exported here';
const NO_ANSWER = 'does not have the name of an exercise’s file';
const KEEPS_NOTHING = 'Nothing was imported: this browser stores nothing.';
const IS_FOR = 'This file has your progress and your answers. Import takes it back; in the repository it ' +
    'is called .exercises.json.';

/** Entries that a sentence names. */
const MAX_NAMED = 5;

const fileName = path => path.split('/').at(-1);

/** As the terminal's list says it. */
function notes({ passed, hints, tries, gave_up }, isNext) {
    const all = [passed ? 'done' : isNext && 'next', hints && counted(hints, 'hint'),
        tries && counted(tries, 'wrong answer'), gave_up && 'solution seen'];
    return all.filter(Boolean).join(', ');
}

export async function show(table) {
    await stylesheet('exercise.css');
    const rows = [...table.querySelectorAll('tr[data-exercise]')].map(row => ({
        id: row.dataset.exercise,
        path: row.dataset.file,
        link: row.querySelector('a'),
        cell: row.appendChild(element('td')),
    }));
    table.querySelector('thead tr').append(element('th', { textContent: 'progress' }));
    table.querySelectorAll('tr:has(> [scope="rowgroup"])').forEach(row => row.append(element('td')));
    const status = element('p', { className: 'card-status', role: 'status' });
    const summary = element('p');

    const follow = () => {
        const states = rows.map(({ id }) => store.of(id));
        const open = rows.filter((_, place) => !states[place].passed);
        const next = open.find(({ path }) => path.endsWith('.cu')) ?? open[0];
        rows.forEach(({ path, cell }, place) => {
            const name = fileName(path);
            const text = store.file(path);
            const download = text === undefined ? []
                : [button('Download', () => save(name, text), { ariaLabel: `Download ${name}` })];
            cell.replaceChildren(notes(states[place], rows[place] === next), ...download);
            cell.parentElement.ariaCurrent = rows[place] === next ? 'step' : null;
        });
        const done = states.filter(({ passed }) => passed).length;
        const link = next?.link ? [' Next: ',
            element('a', { href: next.link.href, textContent: next.link.textContent }), '.'] : [];
        summary.replaceChildren(`${done} of ${rows.length} done.`, ...link);
    };

    /** Takes an answer; what is wrong with it, or nothing. */
    const takeAnswer = (path, text) => {
        try {
            store.replaceFile(path, text);
            return '';
        } catch (error) {
            return `${fileName(path)}: ${whyNotKept(error)}`;
        }
    };
    /** Takes progress and answers; what is wrong, or nothing. */
    const takeAll = (name, text) => {
        const found = store.parsed(text);
        /** @param {[string, any]} answer */
        const isHere = ([path]) => rows.some(row => row.path === path && path.endsWith('.cu'));
        const answers = found?.answers.filter(isHere) ?? [];
        if (!found || (Object.keys(found.exercises).length === 0 && answers.length === 0
            && found.odd.length > 0)) {
            return { isTaken: false, said: `${name} ${NO_PROGRESS}.` };
        }
        const odd = [...found.odd, ...found.answers.filter(answer => !isHere(answer)).map(([path]) => path)];
        const names = odd.slice(0, MAX_NAMED).map(name => name.slice(0, 40)).join(', ');
        const left = odd.length > 0 ? `${counted(odd.length, 'entry', 'entries')} of ${name} made no sense ` +
            `and ${odd.length === 1 ? 'was' : 'were'} left out: ` +
            `${names}${odd.length > MAX_NAMED ? ', …' : ''}.` : '';
        const why = [store.addProgress(found.exercises),
            ...answers.map(([path, text]) => takeAnswer(path, text))];
        return { isTaken: why.includes(''), said: [...why, left].filter(Boolean).join(' ') };
    };
    /** Takes a file: { isTaken, said }. */
    const take = async file => {
        if (!isLasting) {
            return { isTaken: false, said: KEEPS_NOTHING };
        }
        const row = rows.find(({ path }) => path.endsWith('.cu') && fileName(path) === file.name);
        const most = row ? store.MAX_ANSWER : store.MAX_FILE;
        if (!row && !file.name.endsWith('.json')) {
            return { isTaken: false, said: `${file.name} ${NO_ANSWER}.` };
        }
        if (file.size > most) {
            const said = `${file.name} was not imported: it has ${thousands(file.size)} bytes, and at most ` +
                `${thousands(most)} are taken.`;
            return { isTaken: false, said };
        }
        const text = await file.text();
        if (!row) {
            return takeAll(file.name, text);
        }
        const said = takeAnswer(row.path, text);
        return { isTaken: said === '', said };
    };
    const files = element('input', { type: 'file', multiple: true, accept: '.json,.cu',
        ariaLabel: 'Files to import', hidden: true });
    files.addEventListener('change', async () => {
        const results = [];
        for (const file of files.files) {
            results.push(await take(file));
        }
        const taken = results.filter(({ isTaken }) => isTaken).length;
        files.value = '';
        follow();
        const said = new Set(results.map(({ said }) => said));
        status.textContent = [taken && `${counted(taken, 'file')} imported.`, ...said].filter(Boolean)
            .join(' ');
    });
    const exportAll = () => {
        save('.exercises.json', store.exported(rows.map(({ path }) => path)), 'application/json');
        status.textContent = IS_FOR;
    };
    const bar = element('div', { className: 'exercise-bar', role: 'group',
        ariaLabel: 'Progress and answers' },
        button('Export', exportAll, { title: 'Progress and answers, as one file' }),
        button('Import …', () => files.click(), { title: '.exercises.json, or files of exercises' }), files);
    table.closest('.table-frame').before(summary, bar, status);
    follow();
    // Another tab checks, and writes.
    const followOthers = () => {
        rows.forEach(({ path }) => store.answer(path).follow());
        follow();
    };
    addEventListener('storage', followOthers);
    addEventListener('pageshow', followOthers);
}
