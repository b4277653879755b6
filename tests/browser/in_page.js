// Functions that run inside a page of the book. Each stands alone: it is sent there as text.

/** Addresses of the page's links, and the names that a link may lead to. */
exports.links = () => ({
    hrefs: [...document.querySelectorAll('a[href]')].map(a => a.href),
    names: [...document.querySelectorAll('[id], a[name]')].map(e => e.id || e.name),
});

/** Bytes of all that a page has fetched beside its text. */
exports.weight = () => performance.getEntriesByType('resource')
    .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);

/** Without the controls of live cells, which nobody reads. */
exports.height = () => {
    const tall = e => e.getBoundingClientRect().height + parseFloat(getComputedStyle(e).marginBottom);
    const controls = [...document.querySelectorAll('.cell-bar, .run-all')].map(tall);
    return Math.round(controls.reduce((rest, height) => rest - height,
        document.documentElement.scrollHeight));
};

/** What a finger presses and is lower than `least` pixels, each kind once. A box to tick has words beside it
    that tick it, too. */
exports.lowForAFinger = least => {
    const isPressed = e => e.checkVisibility({ checkVisibilityCSS: true }) && !e.closest('.editor');
    const enough = e => (e.matches('[type="radio"], [type="checkbox"]') ? 0.75 * least : least);
    const height = e => Math.round(e.getBoundingClientRect().height);
    const all = [...document.querySelectorAll('main :is(button, select, summary, input)')].filter(isPressed);
    const low = all.filter(e => height(e) < enough(e));
    const name = e => `${e.localName}${e.type ? `[${e.type}]` : ''} in ` +
        `${e.parentElement.localName}.${e.parentElement.className}`;
    return [...new Map(low.map(e => [name(e), `${name(e)}, ${height(e)} px`])).values()];
};

/** Code that is read line by line and has letters smaller than `least` pixels, each kind once. */
exports.smallCode = least => {
    const all = [...document.querySelectorAll('main :is(pre > code, .cm-content, .film-code, textarea)')];
    const small = all.map(e => [`${e.localName}.${e.className}`, parseFloat(getComputedStyle(e).fontSize)])
        .filter(([, size]) => size < least);
    return [...new Map(small).entries()].map(([name, size]) => `${name}, ${size} px`);
};

/** What can only be pressed, each kind once. */
exports.controls = () => {
    const all = [...document.querySelectorAll('body :is(button, input, select, textarea, .skip-link)')];
    return [...new Set(all.filter(e => e.checkVisibility())
        .map(e => `${e.localName} in ${e.parentElement.localName}.${e.parentElement.className}`))];
};

exports.openDetails = () => document.querySelectorAll('details').forEach(details => (details.open = true));

/** A closed prediction is its question alone, and no result that answers it stands behind it; opened, it
    shows what is in it. */
exports.predictions = () => {
    const wrong = [];
    const RESULTS = 'figure:is(.measured, .film), .cell, [data-film]';
    for (const question of document.querySelectorAll('.predict')) {
        const summary = question.querySelector('summary');
        const words = `“${summary.textContent.slice(0, 60)}”`;
        const inside = [...question.children].filter(e => e !== summary);
        if (inside.some(e => e.checkVisibility())) {
            wrong.push(`the answer to ${words} is seen before it is opened`);
        }
        const style = getComputedStyle(question);
        const padding = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
        if (question.clientHeight > summary.offsetHeight + padding + 2) {
            wrong.push(`the closed prediction ${words} is higher than its question`);
        }
        let next = question.nextElementSibling;
        while (next && !next.matches('h1, h2, h3, .predict, .exercise-card, .record')) {
            if (next.matches(RESULTS)) {
                wrong.push(`a result stands behind the prediction ${words}`);
            }
            next = next.nextElementSibling;
        }
        question.open = true;
        if (inside.length === 0 || !inside.every(e => e.checkVisibility() || e.matches('[hidden], script'))) {
            wrong.push(`the answer to ${words} is not seen when it is opened`);
        }
    }
    return wrong;
};

/** Opens the second prediction of the page, or the only one; which of the first two are open. */
exports.fold = () => {
    const parts = [...document.querySelectorAll('main details.predict')].slice(0, 2);
    parts.at(-1).open = true;
    return parts.map(part => part.open);
};

/** Which of the first two predictions are open. */
exports.folds = () => [...document.querySelectorAll('main details.predict')].slice(0, 2)
    .map(part => part.open);

/** As if chosen in mdBook's menu; done when the stylesheet for code is there, which is fetched when it is
    first wanted. */
exports.setTheme = async theme => {
    document.getElementById(`mdbook-theme-${theme}`).click();
    const wanted = [...document.querySelectorAll('link[rel=stylesheet]')].filter(link => !link.disabled);
    const frame = () => new Promise(requestAnimationFrame);
    do {
        await frame();
    } while (wanted.some(link => !link.sheet));
    await frame();
};

/** What makes the page itself scroll sideways. */
exports.overflowing = () => {
    const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + [...e.classList].map(c => '.' + c)
        .join('');
    // The content is a scroll container of mdBook's; body hides what overflows it.
    const frames = [document.documentElement, document.body, document.querySelector('.content')];
    const wide = frames.filter(e => e.scrollWidth > e.clientWidth);
    if (wide.length === 0) {
        return [];
    }
    const clipped = e => {
        for (let up = e.parentElement; up && !up.matches('.content'); up = up.parentElement) {
            if (getComputedStyle(up).overflowX !== 'visible') {
                return true;
            }
        }
        return false;
    };
    const guilty = [...document.querySelectorAll('main *')]
        .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth && !clipped(e))
        .map(e => `${name(e)} “${e.textContent.trim().slice(0, 40)}”`);
    return guilty.length ? guilty.slice(0, 3) : wide.map(name);
};

/** Two texts of each kind, the smallest ones: kinds by the names and classes of an element and those around
    it. */
exports.textSamples = () => {
    const kinds = new Map();
    for (const e of document.querySelectorAll('body *:not(svg *)')) {
        if ([...e.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())) {
            let kind = '';
            for (let up = e, steps = 0; up && steps < 6; up = up.parentElement, steps++) {
                kind += `${up.tagName}.${up.className} `;
            }
            kinds.set(kind, [...(kinds.get(kind) ?? []), { e, size: e.querySelectorAll('*').length }]);
        }
    }
    return [...kinds.values()].flatMap(all => all.sort((a, b) => a.size - b.size).slice(0, 2)
        .map(({ e }) => e));
};

/** Texts of our figures that are drawn smaller than `least` pixels. */
exports.smallText = least => {
    const small = [];
    for (const text of document.querySelectorAll('main svg text, main svg tspan')) {
        const matrix = text.getScreenCTM();
        if (!matrix || !text.textContent.trim() || text.getBoundingClientRect().width === 0) {
            continue;
        }
        const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(matrix.a, matrix.b);
        // Exponents are smaller than what they stand on.
        const needed = text.getAttribute('dy')?.startsWith('-') ? 0.7 * least : least;
        if (size < needed - 0.05) {
            const svg = text.closest('svg');
            const title = (svg.querySelector('title')?.textContent ?? svg.getAttribute('aria-label') ?? 'svg')
                .slice(0, 40);
            small.push({ title, text: text.textContent.trim().slice(0, 30), size });
        }
    }
    // One message for each figure: its smallest text.
    const worst = new Map();
    for (const item of small) {
        if (!worst.has(item.title) || item.size < worst.get(item.title).size) {
            worst.set(item.title, item);
        }
    }
    return [...worst.values()].map(({ title, text, size }) =>
        `“${text}” in “${title}” is ${size.toFixed(1)} px`);
};

/** Texts of our figures that the figure's edge cuts. */
exports.cutText = () => {
    const cut = [];
    for (const svg of document.querySelectorAll('main figure svg')) {
        const frame = svg.getBoundingClientRect();
        for (const text of frame.width > 0 ? svg.querySelectorAll('text') : []) {
            const box = text.getBoundingClientRect();
            if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1) {
                const title = svg.querySelector('title')?.textContent ?? svg.getAttribute('aria-label')
                    ?? 'svg';
                cut.push(`“${text.textContent.trim().slice(0, 40)}” in “${title.slice(0, 40)}”`);
            }
        }
    }
    return cut;
};

/** Regions that scroll sideways and cannot be reached by keyboard, or can and do not scroll. */
exports.scrollers = () => {
    const wrong = [];
    for (const e of document.querySelectorAll('main *')) {
        if (!/auto|scroll/.test(getComputedStyle(e).overflowX) || e.clientWidth === 0) {
            continue;
        }
        const scrolls = e.scrollWidth > e.clientWidth;
        const what = `${e.tagName.toLowerCase()}.${e.className} “${e.textContent.trim().slice(0, 40)}”`;
        if (scrolls && e.tabIndex < 0) {
            wrong.push(`scrolls, but cannot have focus: ${what}`);
        } else if (!scrolls && e.tabIndex >= 0) {
            wrong.push(`can have focus, but does not scroll: ${what}`);
        }
    }
    return wrong;
};

/** What is copied from a cell is its command, on one line however it is shown. */
exports.commands = () =>
    [...document.querySelectorAll('.cell > pre > code')]
        .map(code => code.innerText.trim())
        .filter(text => !/^cargo run --example [^\n]+$/.test(text))
        .map(text => `a cell would copy “${text.slice(0, 80)}”`);

/** Gives each term the focus: its definition must appear within the window, and go with Escape. */
exports.terms = async () => {
    const wrong = [];
    for (const link of document.querySelectorAll('.term > a')) {
        const word = link.textContent.trim();
        const definition = document.getElementById(link.getAttribute('aria-describedby'));
        if (!definition) {
            wrong.push(`“${word}” has no definition`);
            continue;
        }
        const shown = () => definition.getClientRects().length > 0
            && getComputedStyle(definition).visibility === 'visible';
        link.scrollIntoView({ block: 'center' });
        link.focus();
        if (!shown()) {
            wrong.push(`the definition of “${word}” is not shown on focus`);
            continue;
        }
        const box = definition.getBoundingClientRect();
        if (box.left < 0 || box.right > document.documentElement.clientWidth || box.top < 0
            || box.bottom > innerHeight) {
            const edges = [box.left, box.top, box.right, box.bottom].map(Math.round).join(', ');
            wrong.push(`the definition of “${word}” leaves the window: ${edges}`);
        }
        const inFront = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        if (!definition.contains(inFront)) {
            wrong.push(`the definition of “${word}” is behind something, or cut off`);
        }
        link.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        if (shown()) {
            wrong.push(`the definition of “${word}” stays after Escape`);
        }
        link.focus();
        link.blur();
        await new Promise(done => setTimeout(done));
        if (shown()) {
            wrong.push(`the definition of “${word}” stays when the focus goes`);
        }
    }
    scrollTo(0, 0);
    return wrong;
};

/** On paper: what is drawn in figures is dark enough on white. Called with print media emulated. */
exports.paleOnPaper = () => {
    const channel = c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const contrast = colour => {
        canvas.fillStyle = '#fff';
        canvas.fillRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(value => channel(value / 255));
        return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05);
    };
    const pale = new Map();
    const judge = (e, colour, least) => {
        if (!pale.has(colour) && contrast(colour) < least) {
            pale.set(colour,
                `<${e.tagName.toLowerCase()}> “${e.textContent.trim().slice(0, 30)}”: ${colour}`);
        }
    };
    for (const e of document.querySelectorAll('main svg text, main svg tspan')) {
        judge(e, getComputedStyle(e).fill, 4.5);
    }
    for (const e of document.querySelectorAll('main p, main li, main th, main td, main h2, main pre code, ' +
        'main pre code span')) {
        judge(e, getComputedStyle(e).color, 4.5);
    }
    return [...pale.values()].slice(0, 5);
};
