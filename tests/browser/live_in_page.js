// Functions about live cells that run inside a page of the book. Each stands alone: it is sent there as text.

/** The live cells, with what their controls offer and what they show untouched. */
exports.cells = () =>
    [...document.querySelectorAll('.cell[data-live]')].filter(cell => cell.querySelector('.cell-bar'))
        .map(cell => {
        const options = name => {
            const control = cell.querySelector(`[name="${name}"]`);
            return [...(control?.options ?? control?.list?.options ?? [])].map(option => option.value);
        };
        return {
            id: cell.id,
            sizes: options('n').filter(n => Number(n) > 12),
            blocks: options('block'),
            whatIfs: [...cell.querySelectorAll('[name="what-if"]')].map(input => input.value).filter(Boolean),
            isComparable: Boolean(cell.querySelector('.cell-out.recorded:not([data-kind="gpu"])')),
            given: cell.querySelector('pre > code').textContent.match(/ --n (\S+)/)?.[1] ?? '',
            n: cell.querySelector('[name="n"]').value,
            label: cell.querySelector('label:has([name="n"]) > span').textContent,
            command: cell.querySelector('pre > code').textContent.trim(),
            hasChart: Boolean(JSON.parse(cell.dataset.live).chart),
            text: [...cell.querySelectorAll('.cell-out')].map(figure => figure.innerText).join('\n'),
        };
    });

exports.text = id => [...document.querySelectorAll(`#${id} .cell-out`)].map(figure => figure.innerText)
    .join('\n');

exports.listings = () => [...document.querySelectorAll('p.listing[data-lines]')].map(caption =>
    caption.previousElementSibling.innerHTML).join('\n');

exports.idle = () =>
    !document.querySelector('.cell-bar.running')
        && ![...document.querySelectorAll('.cell-bar .card-status')].some(status =>
        /^(Waiting|Running)/.test(status.textContent));

exports.press = (id, selector) => document.querySelector(`#${id} ${selector}`).click();

exports.set = (id, settings) => {
    for (const [name, value] of Object.entries(settings)) {
        const control = document.querySelector(`#${id} form`).elements[name];
        control.value = value;
        (control instanceof RadioNodeList ? [...control].find(input => input.checked) : control)
            .dispatchEvent(new Event('change', { bubbles: true }));
    }
};

/** What stands in a cell, and what is marked for it on the page. */
exports.shown = id => {
    const cell = document.getElementById(id);
    const number = id.slice('cell-'.length);
    const marked = kind =>
        [...document.querySelectorAll(`.line-mark.${kind}[data-cell="${number}"]`)].map(mark =>
        mark.textContent).join('|');
    const out = cell.querySelector('.live-out')?.cloneNode(true);
    // The steps of a small run play, and read otherwise then.
    out?.querySelector('.cell-steps')?.remove();
    const titles = table => [...(table?.tHead.rows[0].cells ?? [])].map(title => title.textContent.trim())
        .slice(1);
    const recorded = titles(cell.querySelector('.cell-out.recorded > .table-frame table'));
    const yours = titles(out?.querySelector('table'));
    return {
        isOld: Boolean(out?.matches('.old')),
        // The columns that the recorded table has, and those that stand first.
        columns: [recorded.filter(title => yours.includes(title)), yours].map(titles => titles.join('|')),
        see: [...(out?.querySelectorAll('a') ?? [])].filter(link =>
            link.textContent.startsWith('See it')).length,
        steps: cell.querySelector('.cell-steps')?.textContent ?? '',
        status: cell.querySelector('.card-status').textContent,
        result: out?.textContent ?? '',
        charts: [...cell.querySelectorAll('.cell-out[data-kind="sim"] .chart-frame')].filter(chart =>
            chart.checkVisibility()).length,
        same: Boolean(out?.querySelector('.same')),
        command: cell.querySelector('pre > code').textContent.trim(),
        address: location.href,
        found: marked('found'),
        edited: marked('edited') || (cell.querySelector('.what-if-lines:not([hidden])')?.innerText ?? ''),
        brokenLinks: [...cell.querySelectorAll('form a, .live-out a')].filter(a =>
            !document.getElementById(a.hash.slice(1))).map(a => a.hash),
    };
};

/** Presses each button below a result; name and text of each file that the reader gets. */
exports.files = async id => {
    const [address, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
    const files = [];
    URL.createObjectURL = blob => (files.push({ blob }), '#');
    HTMLAnchorElement.prototype.click = function () {
        files.at(-1).name = this.download;
    };
    document.querySelectorAll(`#${id} .cell-files button`).forEach(button => button.click());
    Object.assign(URL, { createObjectURL: address });
    HTMLAnchorElement.prototype.click = click;
    return Promise.all(files.map(async ({ blob, name }) => ({ name, text: await blob.text() })));
};

/** Runs, and stops as soon as the run is under way; what the cell then says. */
exports.stopAtOnce = async id => {
    const form = document.querySelector(`#${id} form`);
    const button = form.querySelector('.card-run');
    const running = new Promise(seen => {
        const observer = new MutationObserver(() => form.classList.contains('running')
            && (observer.disconnect(), seen()));
        observer.observe(form, { attributes: true });
    });
    button.click();
    await running;
    button.click();
    while (form.classList.contains('running')
        || /^(Waiting|Running)/.test(form.querySelector('.card-status').textContent)) {
        await new Promise(done => setTimeout(done, 10));
    }
    return form.querySelector('.card-status').textContent;
};
