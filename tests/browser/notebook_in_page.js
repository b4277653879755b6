// Functions about the notebook that run inside its page. Each stands alone: it is sent there as text.

exports.idle = () => !document.querySelector('.notebook-cell.running');

/** Presses the button of cell `cell` with this text. */
exports.click = (text, cell) => {
    const bar = document.querySelectorAll('.notebook-cell > .notebook-bar')[cell];
    const button = [...bar.querySelectorAll('button')].find(button => button.textContent === text);
    button.focus();
    button.click();
};

/** The same, of cell `cell` or of the whole notebook; done once a run has begun. */
exports.press = (text, cell) => {
    const bar = cell === null ? document.querySelector('.notebook-all')
        : document.querySelectorAll('.notebook-cell > .notebook-bar')[cell];
    const button = [...bar.querySelectorAll('button')].find(button => button.textContent === text
        && !button.hidden);
    if (!button) {
        throw new Error(`there is no button “${text}”`);
    }
    button.click();
    // A run begins a moment later.
    return new Promise(done => setTimeout(done, 50));
};

exports.pressTwice = () => {
    const run = document.querySelector('.notebook-cell .card-run');
    run.click();
    setTimeout(() => run.click(), 20);
};

exports.stopped = () => document.querySelector('.notebook-cell .card-status').textContent === 'Stopped.';

exports.hasEditor = cell =>
    Boolean(document.querySelectorAll('.notebook-cell')[cell]?.querySelector('.cm-content'));

exports.focus = cell => document.querySelectorAll('.notebook-cell')[cell].querySelector('.cm-content')
    .focus();

/** A cell of comments as text, and what it is written as. */
exports.asText = cell => {
    const frame = document.querySelectorAll('.notebook-cell')[cell];
    const prose = frame.querySelector('.notebook-text');
    const code = [...frame.querySelectorAll('.cm-line')].map(line => line.textContent).join('\n');
    return { isShown: prose.checkVisibility() && !frame.querySelector('pre[title], .editor')
        .checkVisibility(), html: prose.innerHTML, code };
};

/** Some pixels of the picture, and what stands below it. */
exports.picture = () => {
    const canvas = document.querySelector('.buffer-picture > canvas');
    if (!canvas) {
        return null;
    }
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    const pixel = (x, y) => `${data.slice(4 * (y * width + x), 4 * (y * width + x) + 4)}`;
    const pixels = { width, height, first: pixel(0, 0), last: pixel(5, 2), unwritten: pixel(5, 3) };
    return { pixels, caption: document.querySelector('.buffer-picture > figcaption').textContent };
};

exports.hasStatus = () => Boolean(document.querySelector('.notebook-all .card-status')?.textContent);

exports.shown = () => {
    const text = (place, selector) => place.querySelector(selector)?.textContent ?? '';
    const cells = [...document.querySelectorAll('.notebook-cell')].map(cell => {
        const lines = [...cell.querySelectorAll('.cm-line')];
        const terminal = [...cell.querySelectorAll('.notebook-out > details')].find(part =>
            text(part, 'summary') === 'In a terminal');
        const printed = [...cell.querySelectorAll('.cell-note')].find(note =>
            note.textContent === 'The kernel printed:');
        return {
            name: text(cell, '.notebook-name'),
            code: lines.length ? lines.map(line => line.textContent).join('\n')
                : text(cell, ':scope > pre > code'),
            first: [...cell.querySelectorAll('.cm-lineNumbers .cm-gutterElement')][1]?.textContent,
            status: text(cell, '.card-status'),
            result: text(cell, '.notebook-out'),
            printed: printed?.nextElementSibling.textContent ?? '',
            tables: cell.querySelectorAll('.notebook-out table').length,
            plots: cell.querySelectorAll('.buffer-plot').length,
            steps: cell.querySelectorAll('.cell-steps figure').length,
            command: terminal && text(terminal, 'code'),
            terminal: terminal && text(terminal, 'pre'),
        };
    });
    return {
        cells,
        status: text(document, '.notebook-all .card-status'),
        marks: [...document.querySelectorAll('.editor-mark.found > summary')].map(words => words.textContent),
        images: document.querySelectorAll('main img[src="x"]').length,
    };
};

/** What a button of cell `cell`, or of the whole notebook, downloads. */
exports.exported = (text = 'Export', cell = null) =>
    new Promise(downloaded => {
        const create = URL.createObjectURL;
        URL.createObjectURL = blob => {
            if (blob.type !== 'text/plain') {
                return create.call(URL, blob); // a worker's
            }
            URL.createObjectURL = create;
            blob.text().then(downloaded);
            return '#notebook';
        };
        const bar = cell === null ? document.querySelector('.notebook-all')
            : document.querySelectorAll('.notebook-cell > .notebook-bar')[cell];
        [...bar.querySelectorAll('button')].find(button => button.textContent === text && !button.hidden)
            .click();
    });

/** What a link to a saved file downloads. */
exports.saved = () =>
    new Promise(downloaded => {
        const link = document.querySelector('.notebook-out a[download]');
        const create = URL.createObjectURL;
        URL.createObjectURL = blob => {
            URL.createObjectURL = create;
            blob.arrayBuffer().then(bytes => downloaded(`${link.download}: ${new Uint8Array(bytes)}`));
            return '#notebook';
        };
        link.click();
    });

/** What Copy link puts on the clipboard. */
exports.link = () =>
    new Promise(copied => {
        navigator.clipboard.writeText = async address => copied(address);
        [...document.querySelectorAll('.notebook-all button')].find(button =>
            button.textContent === 'Copy link').click();
    });
