// Exercises that can be solved in the page, and programs that run there. What they need is fetched when somebody opens one; the page
// of all exercises shows the reader's progress. A notebook is made of what stands in #notebook.
'use strict';

(() => {
    if (location.protocol === 'file:' || location.pathname.endsWith('/print.html')) {
        return;
    }
    const { load } = window.workbook;
    const AGAIN = 'Is the server still there? The command above';
    const NO_EXERCISE = `What checks the exercise could not be fetched. ${AGAIN} checks it in a terminal.`;
    const NO_PROGRAM = `What runs the program could not be fetched. ${AGAIN} runs it in a terminal.`;
    const NO_NOTEBOOK = 'What runs the notebook could not be fetched. Load the page again. Is the server still there?';

    /** Has `script` make something of a card when it is opened; opened again, if it could not be fetched. The card says so after `place`. */
    const whenOpened = (card, script, place, notFetched) => {
        const why = Object.assign(document.createElement('p'), { className: 'card-status', role: 'status' });
        place.after(why);
        let shown;
        const show = async () => {
            if (!card.open) {
                return;
            }
            shown ??= load(script).then(({ show }) => show(card));
            try {
                await shown;
                why.remove();
            } catch (error) {
                shown = undefined;
                why.textContent = error.isSentence ? error.message : notFetched;
            }
        };
        show(); // it may be open already
        card.addEventListener('toggle', show);
    };
    const exercises = [...document.querySelectorAll('.exercise-card[data-file]')];
    for (const card of exercises) {
        // The judge gives these.
        card.querySelectorAll(':scope > :is(.hint, .solution, .why)').forEach(part => (part.hidden = true));
        whenOpened(card, 'exercise.js', card.querySelector(':scope > .code'), NO_EXERCISE);
    }
    // Those that are closed say what is done, too; also what another tab has checked or imported.
    const PROGRESS = 'workbook-exercises';
    const isProgress = key => key === PROGRESS || key?.startsWith(`${PROGRESS} @`);
    const hasProgress = () => {
        try {
            return Object.keys(localStorage).some(isProgress);
        } catch {
            return false;
        }
    };
    const showDone = () => hasProgress() && load('exercise_done.js').then(({ show }) => show(exercises), () => {});
    if (exercises.length > 0) {
        addEventListener('pageshow', showDone); // first, and after Back
        addEventListener('storage', ({ key }) => isProgress(key) && showDone());
    }
    for (const card of document.querySelectorAll('.program-card[data-file]')) {
        const ofLink = () => (card.open ||= location.hash.startsWith(`#${card.id}&`));
        ofLink();
        addEventListener('hashchange', ofLink);
        whenOpened(card, 'program_card.js', card.lastElementChild, NO_PROGRAM);
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
