// Loads the player when a figure that has frames is about to come into view, or when a script puts one into the page.
'use strict';

(() => {
    const load = () => {
        const script = document.createElement('script');
        script.src = `${path_to_root}live/player.js`;
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
