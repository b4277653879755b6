// Loads the player when a figure that has frames is about to come into view, or when a script puts one into the page.
'use strict';

(() => {
    // A file has no modules, and leaves it at what the player does.
    const more = async () => {
        const frames = location.protocol === 'file:' ? [] : document.querySelectorAll('[data-film]');
        for (const frame of frames) {
            const { start } = await window.workbook.load(`film_${frame.dataset.film}.js`);
            start(frame);
        }
    };
    const load = () => {
        const script = document.createElement('script');
        script.src = `${path_to_root}live/player.js`;
        script.onload = more;
        document.head.append(script);
    };
    // Until the player is there: it plays all figures once it has come.
    window.playFilms = () => {
        watch.disconnect();
        window.playFilms = () => {};
        load();
    };
    const watch = new IntersectionObserver(entries => {
        if (entries.some(entry => entry.isIntersecting)) {
            window.playFilms();
        }
    }, { rootMargin: '600px' });
    for (const figure of document.querySelectorAll('figure.film')) {
        if (figure.querySelector(':scope > script')) {
            watch.observe(figure);
        }
    }
})();
