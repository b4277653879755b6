// Small things that style sheets cannot do.
'use strict';

(() => {
    const main = document.querySelector('main');

    // What scrolls sideways can have the focus, and only that.
    const regions = [...main.querySelectorAll('pre > code, .table-wrapper, .table-frame, .chart-frame')];
    const update = region => {
        if (region.scrollWidth > region.clientWidth) {
            region.tabIndex = 0;
        } else {
            region.removeAttribute('tabindex');
        }
    };
    const observer = new ResizeObserver(entries => entries.forEach(entry => update(entry.target)));
    regions.forEach(region => observer.observe(region));
    document.fonts.ready.then(() => regions.forEach(update));

    // There the arrow keys scroll, and do not turn the page as mdBook would have it.
    main.addEventListener('keydown', event => {
        if (/^Arrow(Left|Right)$/.test(event.key) && regions.includes(event.target)) {
            event.stopPropagation();
        }
    });

    // A command that is too long for its line breaks between options, not within one.
    for (const code of main.querySelectorAll('.cell > pre > code')) {
        const parts = code.textContent.trimEnd().split(/ (?=--)/);
        const option = part => Object.assign(document.createElement('span'), { className: 'option', textContent: part });
        code.replaceChildren(...parts.flatMap((part, index) => (index ? [' ', option(part)] : [option(part)])));
    }

    // The definition of a term stands below its word as far as the column has room, and goes with Escape.
    for (const term of main.querySelectorAll('.term')) {
        const definition = term.querySelector('.term-definition');
        const place = () => {
            const room = definition.offsetParent.clientWidth - definition.offsetWidth;
            const left = term.getBoundingClientRect().left - definition.offsetParent.getBoundingClientRect().left;
            definition.style.setProperty('--shift', `${Math.max(0, Math.min(left, room))}px`);
        };
        const renew = () => term.classList.remove('dismissed');
        term.addEventListener('mouseenter', place);
        term.addEventListener('focusin', place);
        term.addEventListener('mouseleave', renew);
        term.addEventListener('focusout', renew);
    }
    document.addEventListener('keydown', event => {
        if (event.key === 'Escape') {
            main.querySelectorAll('.term:is(:hover, :focus-within)').forEach(term => term.classList.add('dismissed'));
        }
    });
})();
