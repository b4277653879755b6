// Cells that run in the page: their controls. What these do, live/cells.js, is fetched when somebody first
// reaches for one.
'use strict';

(() => {
    // On the page of all pages the recorded output stands alone.
    const elements = location.pathname.endsWith('/print.html') ? []
        : [...document.querySelectorAll('.cell[data-live]')];
    const isFile = location.protocol === 'file:';
    const FROM_A_FILE =
        'A browser runs no simulator for a page that is opened as a file. Where the book is served, by ' +
        'mdbook serve book --open, the cells on this page run.';
    const { element, thousands, page, load, once, reason, released } = window.workbook;

    // Small pieces of HTML.

    const off = { autocomplete: 'off' };
    const powers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));
    const choice = (name, options, value) => {
        const select = element('select', { name, ...off },
            ...options.map(([value, text]) => element('option', { value, textContent: text })));
        select.value = value;
        return select;
    };
    const numbers = values => [...new Set(values)].sort((a, b) => a - b)
        .map(value => [value, thousands(value)]);
    const counts = (first, values) => [['', first], ...numbers(values)];
    const number = (name, value, min, max) =>
        element('input', { type: 'number', name, value, min, max, required: true, ...off });

    /** A number of the reader's own, with suggestions. */
    const suggested = (input, values, id) => {
        input.setAttribute('list', id);
        return [input, element('datalist', { id },
            ...numbers(values).map(([value]) => element('option', { value })))];
    };

    // The controls, of what the chapter's command line allows; the first two, or one, always in view.

    /** A block has at most so many threads; and some that are no power of two, or no whole number of warps.
        */
    const MOST_THREADS = 1024;
    const ODD_BLOCKS = [1, 33, 96];

    const sizes = ({ n, own_n, most, block }) =>
        [0, 1, 7, 12, ...powers(block ? 6 : 2, 20), 1000, 100_000].filter(size => size <= most)
            .concat(n, own_n);
    const controls = (live, cell) => [
        [live.isOther ? 'n, on the simulator' : 'n',
            suggested(number('n', live.n, 0, live.most), sizes(live), `sizes-${cell}`)],
        live.block && ['threads per block', suggested(number('block', live.block, 1, MOST_THREADS),
            [...ODD_BLOCKS, ...powers(5, 10), live.block], `blocks-${cell}`)],
        live.pending && ['room for pending launches',
            choice('pending-launches', counts('as needed', powers(4, 14)), '')],
        live.grids && ['blocks', choice('grid', counts('as recorded', powers(0, 8)), '')],
        ['seed of the data', number('seed', 1, 0, 2 ** 32)],
        live.simulated && ['order of turns (0: plain)', number('schedule', 0, 0, 9999)],
        live.simulated && ['orders of atomics tried',
            choice('orders', [['', 'one'], ['all', 'every one']], '')],
    ].filter(Boolean).map(([text, control]) =>
        element('label', {}, element('span', { textContent: text }), ...[control].flat()));

    const whatIf = ({ what_ifs }) => {
        const option = (value, text) => {
            const input = element('input', { type: 'radio', name: 'what-if', value, defaultChecked: !value,
                ...off });
            // Between backticks there is code.
            const words = text.split('`').map((part,
                i) => (i % 2 ? element('code', { textContent: part }) : part));
            return element('label', {}, input, element('span', {}, ...words));
        };
        const options = [option('', 'as printed'), ...what_ifs.map(({ name, label }) => option(name, label))];
        return element('fieldset', { className: 'what-if' }, element('legend', { textContent: 'What if …' }),
            ...options,
            element('p', { className: 'what-if-lines', hidden: true }),
            element('p', { className: 'what-if-off', hidden: true }));
    };
    const bar = (live, number) => {
        const all = controls(live, number);
        const inView = all.splice(0, live.block ? 2 : 1);
        return element('form', { className: 'cell-bar', noValidate: true, ariaLabel: `Run cell ${number}` },
            element('button', { className: 'card-run', textContent: 'Run' }),
            ...inView,
            element('details', { className: 'cell-more' }, element('summary', { textContent: 'more' }),
                element('div', {}, ...all)),
            element('button', { className: 'cell-reset', type: 'reset', textContent: 'Reset', hidden: true }),
            ...(live.what_ifs.length ? [whatIf(live)] : []),
            element('progress', { hidden: true, value: 0, ariaLabel: 'Progress of the run' }),
            element('p', { className: 'card-status', role: 'status' }));
    };

    const cells = isFile ? [] : elements.map(element => {
        const live = JSON.parse(element.dataset.live);
        const number = element.id.slice('cell-'.length);
        const code = element.querySelector('pre > code');
        // A GPU was given more than the page can run.
        live.isOther = !live.asks_n && code.textContent.includes(' --n ');
        const form = bar(live, number);
        element.querySelector('pre').after(form);
        element.tabIndex = -1; // a click into it makes it the focused one
        return { element, live, number, form, code, command: code.textContent.trim(),
            recorded: Object.fromEntries(new FormData(form)) };
    });

    // What happens is said in live/cells.js.

    const actions = once(() => load('cells.js'));
    let hasBegun = false;
    const begin = once(async () => {
        await (await actions()).begin(cells[0], cells);
        hasBegun = true;
    });
    /** The button that does what an act does, where that is not Run. */
    const BUTTONS = { edit: 'Edit', runAll: 'Run all' };
    const say = (cell, sentence) => (cell.form.querySelector('.card-status').textContent = sentence);
    const act = async (name, cell, what) => {
        const isFirst = !hasBegun && name.startsWith('run');
        if (isFirst) {
            say(cell, 'Waiting …'); // until what says more is there
        }
        try {
            const { [name]: action } = await actions();
            await released();
            await begin();
            if (isFirst) {
                say(cell, '');
            }
            await action(cell, cells, what);
        } catch (error) {
            say(cell, reason(error, `Press ${BUTTONS[name] ?? 'Run'}`));
        }
    };
    const listen = cell => {
        const { element, form } = cell;
        const once = { once: true };
        form.addEventListener('focusin', () => act('warm', cell), once);
        form.querySelector('.card-run').addEventListener('pointerenter', () => act('warm', cell), once);
        form.addEventListener('submit', event => {
            event.preventDefault();
            act('runOrStop', cell);
        });
        form.addEventListener('change', () => act('change', cell));
        form.addEventListener('reset', () => setTimeout(() => act('reset', cell)));
        element.addEventListener('keydown', event => {
            if (event.key === 'Enter' && event.shiftKey) {
                event.preventDefault();
                act('run', cell);
            }
        });
    };
    const hint = () => {
        const all = element('button', { type: 'button', textContent: 'Run all' });
        all.addEventListener('click', () => act('runAll', cells[0]));
        const what = cells.length > 1 ? 'The cells on this page run' : 'The cell on this page runs';
        const edits = editable.length ? [element('b', { textContent: 'Edit' }),
            ' below a listing changes the code. '] : [];
        const where = cells.every(({ live }) => live.simulated) ? ', on the simulator' : '';
        const words = [`${what} here${where}: `, element('b', { textContent: 'Run' }),
            ', or Shift+Enter in a cell. ', ...edits, ...(cells.length > 1 ? [all] : [])];
        const line = element('p', { className: 'run-all' }, ...(isFile ? [FROM_A_FILE] : words));
        (document.querySelector('main h1 + p:has(> em:first-child)') ?? document.querySelector('main h1'))
            .after(line);
    };
    // A listing of what a cell runs can be edited.
    const editable = [...document.querySelectorAll('.listing[data-anchor]')].filter(caption => {
        const { textContent: file } = caption.querySelector(':scope > code');
        const cell = cells.find(({ live }) => live.edits && live.file === file);
        if (cell) {
            const edit = element('button', { type: 'button', textContent: 'Edit',
                ariaLabel: `Edit ${file}, ${caption.dataset.anchor}` });
            edit.addEventListener('click', () => act('edit', cell, caption));
            caption.append(' ', edit);
        }
        return Boolean(cell);
    });
    if (elements.length) {
        hint();
        cells.forEach(listen);
    }
    // An edit that the browser keeps, one that comes in a link, and what a cell has shown before a reload are
    // shown.
    const keeps = () => {
        try {
            const has = (storage, name) => Object.keys(storage)
                .some(key => key.startsWith(`${name} ${page} `));
            return has(localStorage, 'workbook-edit') || has(sessionStorage, 'workbook run');
        } catch {
            return false;
        }
    };
    const isLinked = () => /^#cell-\d+&/.test(location.hash);
    if (cells.length && (isLinked() || keeps())) {
        begin().catch(error => say(cells[0], reason(error, 'Press Run')));
    }
    addEventListener('hashchange', () => isLinked() && cells.length && act('begin', cells[0]));
    // A shared address shows what its sender saw.
    if (cells.length && /[?&]cell-\d/.test(location.search)) {
        act('fromAddress', cells[0]);
    }
    // The reader's own run from the terminal stands in one table with the recorded one.
    if (document.querySelector('.cell-out.local') && !isFile) {
        begin().then(actions).then(({ compareOwnRuns }) => compareOwnRuns(), () => {});
    }
})();
