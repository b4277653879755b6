// The page of all exercises: what is done, what is next, and progress and answers as files, out of the browser and into it.

import * as store from './exercise_store.js';
import { button, counted, element, save, stylesheet } from './html.js';

const NO_PROGRESS = 'is no progress of these exercises: it should be .exercises.json, from the repository or exported here';
const NO_ANSWER = 'is not called like the file of an exercise';

const fileName = path => path.split('/').at(-1);

/** As the terminal's list says it. */
function notes({ passed, hints, tries, gave_up }, isNext) {
    const all = [passed ? 'done' : isNext && 'next', hints && counted(hints, 'hint'), tries && counted(tries, 'wrong answer'), gave_up && 'solution seen'];
    return all.filter(Boolean).join(', ');
}

export async function show(table) {
    await stylesheet(new URL('exercise.css', import.meta.url));
    const rows = [...table.querySelectorAll('tr[data-exercise]')].map(row => ({
        id: row.dataset.exercise,
        path: row.dataset.file,
        link: row.querySelector('a'),
        cell: row.appendChild(element('td')),
    }));
    table.querySelector('thead tr').append(element('th', { textContent: 'progress' }));
    table.querySelectorAll('tr:has(> [scope="rowgroup"])').forEach(row => row.append(element('td')));
    const status = element('p', { className: 'exercise-status', role: 'status' });
    const summary = element('p');

    const follow = () => {
        const states = rows.map(({ id }) => store.of(id));
        const open = rows.filter((_, place) => !states[place].passed);
        const next = open.find(({ path }) => path.endsWith('.cu')) ?? open[0];
        rows.forEach(({ path, cell, id }, place) => {
            const name = fileName(path);
            const text = store.file(path);
            const download = text === undefined ? [] : [button('Download', () => save(name, text), { ariaLabel: `Download ${name}` })];
            cell.replaceChildren(notes(states[place], rows[place] === next), ...download);
            cell.parentElement.ariaCurrent = rows[place] === next ? 'step' : null;
        });
        const done = states.filter(({ passed }) => passed).length;
        const link = next?.link ? [' Next: ', element('a', { href: next.link.href, textContent: next.link.textContent }), '.'] : [];
        summary.replaceChildren(`${done} of ${rows.length} done.`, ...link);
    };

    /** Takes a file; what is wrong with it, or nothing. */
    const take = async file => {
        const text = await file.text();
        const row = rows.find(({ path }) => path.endsWith('.cu') && fileName(path) === file.name);
        if (row) {
            if (store.file(row.path) !== undefined) {
                store.putAside(row.path);
            }
            store.keepFile(row.path, text);
            return undefined;
        }
        if (!file.name.endsWith('.json')) {
            return `${file.name} ${NO_ANSWER}.`;
        }
        if (!store.parsed(text)) {
            return `${file.name} ${NO_PROGRESS}.`;
        }
        store.addProgress(text);
        return undefined;
    };
    const files = element('input', { type: 'file', multiple: true, accept: '.json,.cu', ariaLabel: 'Files to import', hidden: true });
    files.addEventListener('change', async () => {
        const wrong = [];
        for (const file of files.files) {
            wrong.push(await take(file));
        }
        const taken = wrong.filter(sentence => sentence === undefined).length;
        files.value = '';
        follow();
        status.textContent = [taken && `${counted(taken, 'file')} imported.`, ...wrong].filter(Boolean).join(' ');
    });
    const exportProgress = () => {
        save('.exercises.json', store.progress());
        status.textContent = 'In the repository it is called .exercises.json, with the dot that the browser may leave out.';
    };
    const bar = element('div', { className: 'exercise-bar', role: 'group', ariaLabel: 'Progress' },
        button('Export progress', exportProgress),
        button('Import …', () => files.click(), { title: '.exercises.json, or files of exercises' }), files);
    table.closest('.table-frame').before(summary, bar, status);
    follow();
    // Another tab checks.
    addEventListener('storage', follow);
    addEventListener('pageshow', follow);
}
