// Exercises that can be solved in the page. What they need is fetched when somebody opens one; the page of all exercises
// shows the reader's progress. A notebook is made of what stands in #notebook.
'use strict';

(() => {
    if (location.protocol === 'file:' || location.pathname.endsWith('/print.html')) {
        return;
    }
    const { load } = window.workbook;
    const NOT_FETCHED = 'What checks the exercise could not be fetched. Is the server still there? The command above checks it in a terminal.';

    const NO_NOTEBOOK = 'What runs the notebook could not be fetched. Load the page again. Is the server still there?';

    for (const card of document.querySelectorAll('.exercise-card[data-file]')) {
        // The judge gives these.
        card.querySelectorAll(':scope > :is(.hint, .solution, .why)').forEach(part => (part.hidden = true));
        const why = Object.assign(document.createElement('p'), { className: 'card-status', role: 'status' });
        card.querySelector(':scope > .code').after(why);
        // Opened again, it tries again.
        let shown;
        const show = async () => {
            if (!card.open) {
                return;
            }
            shown ??= load('exercise.js').then(({ show }) => show(card));
            try {
                await shown;
                why.remove();
            } catch (error) {
                shown = undefined;
                why.textContent = error.isSentence ? error.message : NOT_FETCHED;
            }
        };
        show(); // it may be open already
        card.addEventListener('toggle', show);
    }
    // A published book that the reader has run something in is kept as they read on.
    if (navigator.serviceWorker?.controller) {
        addEventListener('load', () => load('offline.js').catch(() => {}));
    }
    const notebook = document.getElementById('notebook');
    if (notebook) {
        load('notebook.js').catch(error => {
            const why = error.isSentence ? error.message : NO_NOTEBOOK;
            notebook.append(Object.assign(document.createElement('p'), { className: 'card-status', role: 'status', textContent: why }));
        });
    }
    const list = document.querySelector('.exercise-list');
    if (list) {
        load('exercise_list.js').then(({ show }) => show(list), () => {});
    }
})();
