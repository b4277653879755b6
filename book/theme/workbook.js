// Small things that style sheets cannot do.
'use strict';

(() => {
    const main = document.querySelector('main');

    // What scrolls sideways can have the focus, and only that.
    const SCROLLS = 'pre > code, .table-wrapper, .table-frame, .chart-frame, .steps-frame';
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

    // There the arrow keys scroll, in a control they choose, and do not turn the page as mdBook would have it.
    main.addEventListener('keydown', event => {
        if (/^Arrow(Left|Right)$/.test(event.key) && event.target.matches(`${SCROLLS}, input, select, .cell-bar *`)) {
            event.stopPropagation();
        }
    });

    // A command that is too long for its line breaks between options, not within one.
    const showCommand = (code, text) => {
        const parts = text.trim().split(/ (?=--)/);
        const option = part => Object.assign(document.createElement('span'), { className: 'option', textContent: part });
        code.replaceChildren(...parts.flatMap((part, index) => (index ? [' ', option(part)] : [option(part)])));
    };
    main.querySelectorAll('.cell > pre > code').forEach(code => showCommand(code, code.textContent));
    window.workbook = { showCommand, watch };

    // The definition of a term stands below its word, above everything that could cut it off, within the window. It
    // goes with Escape.
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
            main.querySelectorAll('.term-definition:popover-open').forEach(definition => definition.hidePopover());
        }
    });

    // What answers a question is covered until the reader opens the answer or asks for it. Without scripts and on
    // paper nothing is, nor on the page of all pages.
    const RESULTS = 'figure:is(.cell-out, .measured, .film)';
    const resultsOf = question => {
        const found = [];
        for (let next = question.nextElementSibling; next && !next.matches('h2, .predict'); next = next.nextElementSibling) {
            const isFolded = next.matches('details');
            found.push(...(next.matches(RESULTS) ? [next] : isFolded ? [] : next.querySelectorAll(RESULTS)));
        }
        return found;
    };
    const cover = question => {
        const results = resultsOf(question);
        const uncover = () => {
            for (const result of results) {
                result.classList.remove('covered');
                result.querySelector(':scope > .uncover')?.remove();
            }
        };
        for (const result of results) {
            const button = Object.assign(document.createElement('button'), { type: 'button', className: 'uncover', textContent: 'Show the result' });
            button.addEventListener('click', () => {
                uncover();
                result.tabIndex = -1; // the focus stays where the reader is
                result.focus();
            });
            result.classList.add('covered');
            result.prepend(button);
        }
        question.addEventListener('toggle', uncover, { once: true });
    };
    if (!location.pathname.endsWith('/print.html')) {
        main.querySelectorAll('.predict:not([open])').forEach(cover);
    }
})();
