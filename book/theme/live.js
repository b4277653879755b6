// Cells that run in the page: their controls, the command and the address that follow these. What runs a cell and shows
// the result, live/cells.js, is fetched when somebody first reaches for one.
'use strict';

(() => {
    // On the page of all pages the recorded output stands alone.
    const elements = location.pathname.endsWith('/print.html') ? [] : [...document.querySelectorAll('.cell[data-live]')];
    const folder = new URL('../live/', document.currentScript.src);
    const FROM_A_FILE = 'A browser runs no simulator for a page that is opened as a file. Serve the book, with ' +
        'mdbook serve book --open, or run the command above in a terminal.';
    let module;
    const machinery = () => (module ??= import(new URL('cells.js', folder)).catch(error => {
        module = undefined;
        throw error;
    }));

    // Small pieces of HTML.

    const make = (tag, properties = {}, ...children) => {
        const element = Object.assign(document.createElement(tag), properties);
        element.append(...children);
        return element;
    };
    const thousands = number => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
    const labelled = (text, control) => make('label', {}, make('span', { textContent: text }), control);
    const choice = (name, options, value) => {
        const select = make('select', { name, autocomplete: 'off' });
        select.append(...options.map(([value, text]) => make('option', { value, textContent: text })));
        select.value = value;
        return select;
    };
    const numbers = (values, own) => {
        const all = [...new Set([...values, ...own])].filter(value => value !== null).sort((a, b) => a - b);
        return all.map(value => [value, thousands(value)]);
    };
    const powers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));

    // The controls, of what the chapter's command line allows.

    const sizes = ({ n, own_n, most, blocks }) => {
        const all = [...powers(blocks ? 6 : 2, 20), 1000, 100_000].filter(size => size <= most);
        return numbers(all, [n, own_n]);
    };
    const threads = ({ block, own_block }) => numbers([...powers(5, 10), 96], [block, own_block]);
    const counts = (first, values) => [['', first], ...values.map(value => [value, thousands(value)])];
    const number = (name, value, max) =>
        make('input', { type: 'number', name, value, min: 0, max, required: true, autocomplete: 'off' });

    /** [name on the command line, name on the page, control], the first ones always in view. */
    const controls = live => [
        ['n', 'n', choice('n', sizes(live), live.n)],
        live.blocks && ['block', 'threads per block', choice('block', threads(live), live.block)],
        live.pending && ['pending-launches', 'room for pending launches', choice('pending-launches', counts('as needed', powers(4, 14)), '')],
        live.grids && ['grid', 'blocks', choice('grid', counts('as recorded', powers(0, 8)), '')],
        ['seed', 'seed of the data', number('seed', 1, 2 ** 32)],
        ['schedule', 'order of turns', number('schedule', 0, 9999)],
    ].filter(Boolean);

    const whatIf = ({ what_ifs }, number) => {
        const option = (value, text) => {
            const input = make('input', { type: 'radio', name: 'what-if', value, checked: !value, autocomplete: 'off' });
            return make('label', {}, input, make('span', { textContent: text }));
        };
        const options = what_ifs.map(({ name, label }) => option(name, label));
        const lines = make('p', { className: 'what-if-lines', id: `what-if-${number}`, hidden: true });
        return make('fieldset', { className: 'what-if' }, make('legend', { textContent: 'What if …' }), option('', 'as printed'), ...options, lines);
    };

    const bar = (live, number) => {
        const of = controls(live).map(([, text, control]) => labelled(text, control));
        const shown = live.blocks ? 2 : 1;
        const more = make('details', { className: 'cell-more' }, make('summary', { textContent: 'more' }), make('div', {}, ...of.slice(shown)));
        const form = make('form', { className: 'cell-bar', noValidate: true });
        form.setAttribute('aria-label', `Run cell ${number}`);
        form.append(
            make('button', { className: 'cell-run', textContent: 'Run' }),
            ...of.slice(0, shown),
            more,
            make('button', { className: 'cell-reset', type: 'button', textContent: 'Reset', hidden: true }),
            ...(live.what_ifs.length ? [whatIf(live, number)] : []),
            make('progress', { hidden: true, value: 0, ariaLabel: 'Progress of the run' }),
            make('p', { className: 'cell-status', role: 'status' }),
        );
        return form;
    };

    // A cell: its element, what data-live says, its form, and what stands in its controls.

    const values = form => Object.fromEntries(new FormData(form));
    const cells = elements.map(element => {
        const live = JSON.parse(element.dataset.live);
        const number = element.id.slice('cell-'.length);
        const form = bar(live, number);
        element.querySelector('pre').after(form);
        element.tabIndex = -1;
        const code = element.querySelector('pre > code');
        return { element, live, number, form, recorded: values(form), code, command: code.textContent.trim(), wasRun: false };
    });
    const differences = ({ form, recorded }) =>
        Object.entries(values(form)).filter(([name, value]) => value !== recorded[name]);

    /** What is asked of the simulator. What the chapter takes by itself is not said, here and on the command line. */
    const request = ({ form, live }) => {
        const { n, block, ...rest } = values(form);
        const asked = (value, own) => (value === undefined || Number(value) === own ? null : Number(value));
        const given = name => (rest[name] ? Number(rest[name]) : null);
        return {
            stem: live.stem,
            kernels: live.kernels,
            n: asked(n, live.asks_n ? null : live.own_n),
            block: asked(block, live.asks_block ? null : live.own_block),
            grid: given('grid'),
            seed: given('seed') ?? 1,
            schedule: given('schedule') ?? 0,
            pending_launches: given('pending-launches'),
        };
    };
    const size = n => (n >= 1024 && Number.isInteger(Math.log2(n)) ? `2^${Math.log2(n)}` : thousands(n).replaceAll(',', '_'));
    const command = cell => {
        const asked = request(cell);
        const words = [
            ...asked.kernels.map(kernel => `--kernel ${kernel}`),
            asked.n !== null && `--n ${size(asked.n)}`,
            asked.block !== null && `--block ${asked.block}`,
            asked.grid !== null && `--grid ${asked.grid}`,
            asked.seed !== 1 && `--seed ${asked.seed}`,
            asked.schedule !== 0 && `--schedule ${asked.schedule}`,
            asked.pending_launches !== null && `--pending-launches ${asked.pending_launches}`,
            '--device sim',
        ];
        return `cargo run --example ${asked.stem} -- ${words.filter(Boolean).join(' ')}`;
    };

    // The address: ?cell-2=n.1024_what-if.no-barrier, one parameter for each cell that is not as recorded.

    const toAddress = () => {
        const address = new URL(location);
        for (const cell of cells) {
            const value = differences(cell).map(pair => pair.join('.')).join('_');
            if (value) {
                address.searchParams.set(cell.element.id, value);
            } else {
                address.searchParams.delete(cell.element.id);
            }
        }
        if (address.href !== location.href) {
            history.replaceState(history.state, '', address);
        }
    };
    const fromAddress = cell => {
        const value = new URLSearchParams(location.search).get(cell.element.id) ?? '';
        for (const [name, setting] of value.split('_').map(pair => pair.split('.'))) {
            const control = cell.form.elements[name];
            const before = control?.value;
            if (before !== undefined) {
                control.value = setting;
                if (control.value !== setting) {
                    control.value = before;
                }
            }
        }
        return differences(cell).length > 0;
    };

    // What happens.

    const chosen = ({ form, live }) => live.what_ifs.find(({ name }) => name === form.elements['what-if']?.value);
    const say = (cell, sentence) => (cell.form.querySelector('.cell-status').textContent = sentence);
    const follow = cell => {
        const touched = cell.wasRun || differences(cell).length > 0;
        window.workbook.showCommand(cell.code, touched ? command(cell) : cell.command);
        cell.form.querySelector('.cell-reset').hidden = !touched;
        toAddress();
    };
    const attempt = async (cell, work) => {
        if (location.protocol === 'file:') {
            say(cell, FROM_A_FILE);
            return false;
        }
        try {
            return await work(await machinery());
        } catch {
            say(cell, 'What runs the cell could not be fetched. Is the server still there? The command above runs it in a terminal.');
            return false;
        }
    };
    const showWhatIf = cell => {
        if (cell.live.what_ifs.length) {
            attempt(cell, ({ showWhatIf }) => showWhatIf(cell, chosen(cell)));
        }
    };
    const run = cell => {
        if (!cell.form.checkValidity()) {
            cell.form.querySelector('.cell-more').open = true;
            cell.form.reportValidity();
            return false;
        }
        cell.wasRun = true;
        follow(cell);
        return attempt(cell, ({ run }) => run(cell, request(cell), chosen(cell)));
    };
    const runAll = async () => {
        for (const cell of cells) {
            if (!(await run(cell))) {
                break;
            }
        }
    };
    const reset = cell => {
        cell.form.reset();
        Object.entries(cell.recorded).forEach(([name, value]) => (cell.form.elements[name].value = value));
        cell.wasRun = false;
        say(cell, '');
        follow(cell);
        cell.form.querySelector('.cell-run').focus();
        attempt(cell, ({ reset }) => reset(cell));
    };

    const listen = cell => {
        const { element, form } = cell;
        const warm = () => attempt(cell, ({ warm }) => warm(cell));
        const button = form.querySelector('.cell-run');
        if (location.protocol !== 'file:') {
            button.addEventListener('pointerenter', warm, { once: true });
            form.addEventListener('focusin', warm, { once: true });
        }
        form.addEventListener('submit', event => {
            event.preventDefault();
            if (form.classList.contains('running')) {
                attempt(cell, ({ stop }) => stop());
            } else {
                run(cell);
            }
        });
        form.addEventListener('change', event => {
            follow(cell);
            if (event.target.name === 'what-if') {
                showWhatIf(cell);
            }
        });
        form.querySelector('.cell-reset').addEventListener('click', () => reset(cell));
        element.addEventListener('keydown', event => {
            if (event.key === 'Enter' && event.shiftKey) {
                event.preventDefault();
                run(cell);
            } else if (/^Arrow(Left|Right)$/.test(event.key) && form.contains(event.target)) {
                event.stopPropagation(); // mdBook would turn the page
            }
        });
    };

    const begin = () => {
        const all = make('button', { type: 'button', textContent: 'Run all' });
        all.addEventListener('click', runAll);
        const hint = make('p', { className: 'run-all' }, 'The cells on this page run here, on the simulator: ', make('b', { textContent: 'Run' }),
            ', or Shift+Enter in a cell. ', all);
        (document.querySelector('main h1 + p:has(> em:first-child)') ?? document.querySelector('main h1')).after(hint);
        cells.forEach(listen);
        // A shared address shows what its sender saw.
        const shared = cells.filter(fromAddress);
        shared.forEach(cell => {
            follow(cell);
            showWhatIf(cell);
            run(cell);
        });
    };
    if (cells.length) {
        begin();
    }
    // The reader's own run from the terminal stands in one table with the recorded one.
    if (document.querySelector('.cell-out.local') && location.protocol !== 'file:') {
        machinery().then(({ compareOwnRuns }) => compareOwnRuns(), () => {});
    }
})();
