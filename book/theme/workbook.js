// Small things that style sheets cannot do.
'use strict';

(() => {
    const main = document.querySelector('main');

    const element = (tag, properties = {}, ...children) => {
        const made = Object.assign(document.createElement(tag), properties);
        made.append(...children);
        return made;
    };
    /** `20,000`. */
    const thousands = number => number.toLocaleString('en');

    // The first stop of the Tab key, past the menus.
    main.id ||= 'page';
    main.tabIndex = -1;
    document.body.prepend(element('a', { className: 'skip-link', href: `#${main.id}`,
        textContent: 'Skip to the text' }));

    // What scrolls sideways can have the focus, and only that.
    const SCROLLS = 'pre > code, .said-source, .table-wrapper, .table-frame, .chart-frame, .steps-frame';
    const regions = [...main.querySelectorAll(SCROLLS)];
    const update = region => {
        if (region.scrollWidth > region.clientWidth) {
            region.tabIndex = 0;
        } else {
            region.removeAttribute('tabindex');
        }
    };
    const observer = new ResizeObserver(entries => entries.forEach(entry => update(entry.target)));
    const watch = region => observer.observe(region);
    regions.forEach(watch);
    document.fonts.ready.then(() => regions.forEach(update));

    // There the arrow keys scroll, in a control they choose, and do not turn the page as mdBook would have
    // it.
    main.addEventListener('keydown', event => {
        const target = /** @type {Element} */ (event.target);
        if (/^Arrow(Left|Right)$/.test(event.key)
            && target.matches(`${SCROLLS}, input, select, .cell-bar *`)) {
            event.stopPropagation();
        }
    });

    // A command that is too long for its line breaks between options, not within one.
    const showCommand = (code, text) => {
        const parts = text.trim().split(/ (?=--)/);
        const option = part => element('span', { className: 'option', textContent: part });
        code.replaceChildren(...parts.flatMap((part,
            index) => (index ? [' ', option(part)] : [option(part)])));
    };
    main.querySelectorAll('.cell > pre > code').forEach(code => showCommand(code, code.textContent));

    // A page has one name, whatever its address: the book opens with the introduction, and some servers leave
    // `.html` out.
    const nameOf = path => path.replace(/\/(index(\.html)?)?$/, '/introduction.html')
        .replace(/(\.html)?$/, '.html');
    const page = nameOf(location.pathname);
    /** What was written at another address of a page, as older editions kept it, goes by its name. */
    const rename = () => {
        for (const key of Object.keys(localStorage)) {
            const [what, path, ...rest] = key.split(' ');
            const name = [what, nameOf(path ?? ''), ...rest].join(' ');
            if (what === 'workbook-edit' && localStorage.getItem(name) === null) {
                localStorage.setItem(name, localStorage.getItem(key));
                localStorage.removeItem(key);
            }
        }
    };
    try {
        rename();
    } catch {
        // Nothing is kept, or there is no room: what is left stays where it is.
    }

    // Nothing moves under a pressed pointer: a button that did would get no click.
    let pressed = 0;
    addEventListener('pointerdown', () => (pressed += 1), true);
    for (const end of ['pointerup', 'pointercancel']) {
        addEventListener(end, () => (pressed = Math.max(0, pressed - 1)), true);
    }
    /** Once no pointer is pressed, and its click has been heard. */
    const released = async () => {
        while (pressed > 0) {
            await new Promise(resolve => {
                ['pointerup', 'pointercancel'].forEach(end =>
                    addEventListener(end, () => setTimeout(resolve), { once: true }));
            });
        }
    };
    Object.assign(window.workbook, { element, thousands, page, showCommand, watch, released });

    // The definition of a term stands below its word, above everything that could cut it off, within the
    // window. It goes with Escape.
    for (const term of main.querySelectorAll('.term')) {
        const definition = term.querySelector('.term-definition');
        definition.popover = 'manual';
        const show = () => {
            definition.showPopover();
            const word = term.getClientRects()[0];
            const [width, height] = [definition.offsetWidth, definition.offsetHeight];
            const left = Math.max(8, Math.min(word.left, document.documentElement.clientWidth - width - 8));
            const top = word.bottom + height > innerHeight ? word.top - height : word.bottom;
            definition.style.left = `${left + scrollX}px`;
            definition.style.top = `${top + scrollY}px`;
        };
        const hide = () => {
            if (!term.matches(':hover, :focus-within')) {
                definition.hidePopover();
            }
        };
        term.addEventListener('mouseenter', show);
        term.addEventListener('focusin', show);
        term.addEventListener('mouseleave', hide);
        term.addEventListener('focusout', () => setTimeout(hide));
    }
    document.addEventListener('keydown', event => {
        if (event.key === 'Escape') {
            main.querySelectorAll('.term-definition:popover-open')
                .forEach(definition => definition.hidePopover());
        }
    });

    // What a reader has opened or closed stays so when the page is loaded again. A part is known by its first
    // line; of several alike the second is “… (2)”.
    const NAME = `workbook-open ${page}`;
    const folded = new Map();
    for (const part of main.querySelectorAll('details')) {
        const words = part.querySelector('summary')?.textContent.trim() ?? '';
        let name = words;
        for (let number = 2; folded.has(name); number++) {
            name = `${words} (${number})`;
        }
        folded.set(name, { part, isOpen: part.open });
    }
    const remember = () => {
        const changed = [...folded].filter(([, { part, isOpen }]) => part.open !== isOpen);
        try {
            localStorage.setItem(NAME, JSON.stringify(Object.fromEntries(changed.map(([name, { part }]) =>
                [name, part.open]))));
        } catch {
            // Not kept: the parts are as the page has them.
        }
    };
    const recall = () => {
        try {
            for (const [name, isOpen] of Object.entries(JSON.parse(localStorage.getItem(NAME)) ?? {})) {
                const known = folded.get(name);
                if (known) {
                    known.part.open = Boolean(isOpen);
                }
            }
        } catch {
            // Nothing is kept.
        }
    };
    /** Opens what an element is folded in. */
    const reveal = element => {
        for (let part = element?.closest('details:not([open])'); part; part =
            part.parentElement.closest('details:not([open])')) {
            part.open = true;
        }
    };
    if (!location.pathname.endsWith('/print.html')) {
        recall();
        main.addEventListener('toggle', remember, true);
    }
    // Where a link leads, something may be folded.
    const follow = () => reveal(document.getElementById(decodeURIComponent(location.hash.slice(1)
        .split('&')[0])));
    addEventListener('hashchange', follow);
    follow();
    Object.assign(window.workbook, { reveal });
})();
