// Exercises that can be solved in the page. What they need is fetched when somebody opens one; the page of all exercises
// shows the reader's progress. A notebook is made of what stands in #notebook.
'use strict';

(() => {
    if (location.protocol === 'file:' || location.pathname.endsWith('/print.html')) {
        return;
    }
    const folder = new URL('../live/', document.currentScript.src);
    const load = name => import(new URL(name, folder));
    const NOT_FETCHED = 'What checks the exercise could not be fetched. Is the server still there? The command above checks it in a terminal.';

    for (const card of document.querySelectorAll('.exercise-card[data-file]')) {
        // The judge gives these.
        card.querySelectorAll(':scope > :is(.hint, .solution, .why)').forEach(part => (part.hidden = true));
        const show = async () => {
            try {
                await (await load('exercise.js')).show(card);
            } catch {
                card.querySelector(':scope > .code').after(NOT_FETCHED);
            }
        };
        // It may be open already.
        if (card.open) {
            show();
        } else {
            card.addEventListener('toggle', show, { once: true });
        }
    }
    // A published book that the reader has run something in is kept as they read on.
    if (navigator.serviceWorker?.controller) {
        addEventListener('load', () => load('offline.js').catch(() => {}));
    }
    if (document.getElementById('notebook')) {
        load('notebook.js');
    }
    const list = document.querySelector('.exercise-list');
    if (list) {
        load('exercise_list.js').then(({ show }) => show(list), () => {});
    }
})();
