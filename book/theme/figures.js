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
    const asScript = () => new Promise((resolve, reject) => {
        const script = document.createElement('script');
        Object.assign(script, { src: `${path_to_root}live/player.js`, onload: resolve, onerror: reject });
        document.head.append(script);
    });
    const load = async () => {
        await (location.protocol === 'file:' ? asScript() : window.workbook.load('player.js'));
        watch.disconnect();
        more().catch(() => {}); // the figures play without it
    };
    let player;
    // Until the player is there: it plays all figures once it has come. What failed is tried again when the next figure comes.
    const play = () => {
        player ??= load();
        player.catch(() => (player = undefined));
    };
    window.playFilms = play;
    const watch = new IntersectionObserver(entries => {
        if (entries.some(entry => entry.isIntersecting)) {
            play();
        }
    }, { rootMargin: '600px' });
    for (const figure of document.querySelectorAll('figure.film')) {
        if (figure.querySelector(':scope > script')) {
            watch.observe(figure);
        }
    }
})();
