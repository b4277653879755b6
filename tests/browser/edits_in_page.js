// Functions about editors that run inside a page of the book. Each stands alone: it is sent there as text.

exports.idle = () => !document.querySelector('.cell-bar.running');

exports.edit = which => document.querySelectorAll('.listing > button')[which].click();

/** The first listing that can be edited and has a line that is a barrier, and that line; else the first
    listing. Of longer ones the editor does not draw all lines. */
exports.barrier = () => {
    const drawn = 60;
    const all = [...document.querySelectorAll('.listing > button')].map((button, which) => {
        const lines = button.parentElement.previousElementSibling.textContent.split('\n');
        return { which, barrier: lines.length <= drawn
            && lines.find(line => line.trim() === '__syncthreads();') };
    });
    return all.find(({ barrier }) => barrier) ?? { which: 0 };
};

exports.press = name => [...document.querySelectorAll('.workbench .card-bar button')].find(button =>
    button.textContent === name).click();

exports.pressRun = () => document.querySelector('.workbench .card-run').click();

/** Puts the cursor into the first line that begins with `begins`; or selects it. */
exports.select = (begins, whole) => {
    const line = [...document.querySelectorAll('.cm-line')].find(line => line.textContent.startsWith(begins));
    if (!line) {
        return false;
    }
    document.querySelector('.cm-content').focus();
    const range = document.createRange();
    range.selectNodeContents(line);
    if (!whole) {
        range.collapse(false);
    }
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    // The editor hears of it a moment later.
    return new Promise(done => setTimeout(() => done(true), 50));
};

/** What stands in the editor, below it, and in its cell; what is selected, and what has the focus. */
exports.shown = () => {
    const text = selector => document.querySelector(selector)?.textContent ?? '';
    const out = document.querySelector('.live-out')?.cloneNode(true);
    const steps = out?.querySelectorAll('.cell-steps figure').length ?? 0;
    out?.querySelector('.cell-steps')?.remove();
    return {
        code: [...document.querySelectorAll('.cm-line')].map(line => line.textContent).join('\n'),
        numbers: [...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')].map(number =>
            number.textContent).slice(1),
        first: Number(document.querySelector('.listing[data-anchor]')?.dataset.lines.split('+')[0]),
        status: [...document.querySelectorAll('.cell-bar .card-status')].map(status => status.textContent)
            .join(' '),
        note: text('.cell-edited').toLowerCase(),
        diff: text('.workbench-diff'),
        result: out?.textContent ?? '',
        found: document.querySelectorAll('.cm-found').length,
        selected: `${getSelection()}`,
        focus: document.activeElement.matches('.cm-content') ? 'the code'
            : document.activeElement.textContent.slice(0, 40),
        images: document.querySelectorAll('main img[src="x"]').length,
        steps,
    };
};

/** What is marked in the editor: the number of the first such line, the words, and what the first mark, which
    is open, says. */
exports.found = () => {
    const lines = [...document.querySelectorAll('.cm-line')];
    const numbers = [...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')].slice(1)
        .map(number => number.textContent);
    const marks = [...document.querySelectorAll('.editor-mark.found, .editor-mark.error')];
    const words = mark => mark?.querySelector('summary').textContent;
    return {
        line: numbers[lines.findIndex(line => line.matches('.cm-found'))],
        words: marks.map(words),
        doubled: marks.filter(mark => mark.previousElementSibling?.matches('.editor-mark')
            && words(mark) === words(mark.previousElementSibling)).length,
        message: marks[0]?.open ? marks[0].innerText : '',
    };
};

/** Presses the way from the open mark to the other line that it is about; whether that line has the cursor
    then. */
exports.lead = async () => {
    const lead = document.querySelector('.editor-mark[open] .editor-leads button');
    lead?.click();
    await new Promise(done => setTimeout(done, 50));
    const at = getSelection().anchorNode?.parentElement?.closest('.cm-line') ?? getSelection().anchorNode;
    return `${lead?.textContent} leads to ${at?.textContent}`;
};

/** The cells whose what-ifs an edit has switched off without a word. */
exports.silentWhatIfs = () => {
    const off = [...document.querySelectorAll('.what-if:disabled')];
    return off.filter(fields => !fields.querySelector('.what-if-off:not([hidden])')?.textContent)
        .map(fields => fields.closest('.cell').id);
};

/** What Copy link puts on the clipboard. */
exports.link = () =>
    new Promise(copied => {
        navigator.clipboard.writeText = async address => copied(address);
        [...document.querySelectorAll('.workbench .card-bar button')].find(button =>
            button.textContent === 'Copy link').click();
    });

/** What of the editor can be seen and is less than 24 pixels wide or tall; boxes to tick have their labels.
    */
exports.smallTargets = () =>
    [...document.querySelectorAll('.workbench :is(button, input, label, summary)')].filter(e =>
        e.checkVisibility() && !e.matches('[type="checkbox"]')).flatMap(e => {
        const { width, height } = e.getBoundingClientRect();
        return Math.min(width, height) < 23.9
            ? [`${e.textContent || e.name}: ${width.toFixed(0)} × ${height.toFixed(0)}`] : [];
    });

/** Keeps what a screen reader would say of the first editor from now on. */
exports.listen = () => {
    window.heard = [];
    const status = document.querySelector('.workbench .card-status');
    new MutationObserver(() => window.heard.push(status.textContent)).observe(status, { childList: true });
};

/** Whether the cell has said anything. */
exports.says = () => document.querySelector('.cell-bar .card-status')?.textContent;

exports.text = () => [...document.querySelectorAll('main pre, main .listing, main .cell')].map(part =>
    part.innerText).join('\n');

exports.resetCell = () => document.querySelector('.cell-reset').click();

exports.keeps = () => Object.keys(localStorage).some(key => /^workbook-edit .* ~/.test(key));
