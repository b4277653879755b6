// Loads the player when a figure that has frames is about to come into view.
'use strict';

(() => {
    const figures = [...document.querySelectorAll('figure.film')].filter(figure => figure.querySelector(':scope > script'));
    const watch = new IntersectionObserver(entries => {
        if (entries.some(entry => entry.isIntersecting)) {
            watch.disconnect();
            const script = document.createElement('script');
            script.src = `${path_to_root}live/player.js`;
            document.head.append(script);
        }
    }, { rootMargin: '600px' });
    figures.forEach(figure => watch.observe(figure));
})();
