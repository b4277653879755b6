// Loads the player when a figure that has frames is about to come into view, or when a script puts one into
// the page.
'use strict';

(() => {
    const { NotLoaded, attempt, load, once } = window.workbook;
    // A file has no modules, and leaves it at what the player does.
    const isFile = location.protocol === 'file:';
    const asScript = () => new Promise((resolve, reject) => {
        const script = document.createElement('script');
        const onerror = () => reject(new NotLoaded('The file live/player.js'));
        Object.assign(script, { src: `${path_to_root}live/player.js`, onload: resolve, onerror });
        document.head.append(script);
    });
    /** What a figure has beyond the player. */
    const more = async frame => {
        const { start } = await load(`film_${frame.dataset.film}.js`);
        start(frame);
    };
    const player = once(async () => {
        await (isFile ? asScript() : load('player.js'));
        watch.disconnect();
        for (const frame of isFile ? [] : document.querySelectorAll('[data-film]')) {
            attempt(() => more(frame), frame);
        }
    });
    // Until the player is there: it plays all figures once it has come. What failed is tried again when the
    // next figure comes.
    const play = figure => attempt(player, figure);
    window.playFilms = root => play(root.querySelector('figure.film') ?? root);
    const watch = new IntersectionObserver(entries => entries.filter(entry => entry.isIntersecting)
        .forEach(({ target }) => play(target)),
        { rootMargin: '600px' });
    for (const figure of document.querySelectorAll('figure.film')) {
        if (figure.querySelector(':scope > script')) {
            watch.observe(figure);
        }
    }
})();
