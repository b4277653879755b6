// Exercises that can be solved in the page, and programs that run there. What they need is fetched when
// somebody opens one; the page of all exercises shows the reader's progress. A notebook is made of what
// stands in #notebook.
'use strict';

(() => {
    if (location.protocol === 'file:' || location.pathname.endsWith('/print.html')) {
        return;
    }
    const { attempt, load, once } = window.workbook;

    /** Has `script` make something of a card when it is opened; or after `place` stands why it cannot. */
    const whenOpened = (card, script, place) => {
        const show = once(() => load(script).then(({ show }) => show(card)));
        const opened = () => card.open && attempt(show, place);
        opened(); // it may be open already
        card.addEventListener('toggle', opened);
    };
    const exercises = [...document.querySelectorAll('.exercise-card[data-file]')];
    for (const card of exercises) {
        // The judge gives these.
        card.querySelectorAll(':scope > :is(.hint, .solution, .why)').forEach(part => (part.hidden = true));
        whenOpened(card, 'exercise.js', card.querySelector(':scope > .code'));
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
    const showDone = () => hasProgress() && load('exercise_done.js')
        .then(({ show }) => show(exercises), () => {});
    if (exercises.length > 0) {
        addEventListener('pageshow', showDone); // first, and after Back
        addEventListener('storage', ({ key }) => isProgress(key) && showDone());
    }
    for (const card of document.querySelectorAll('.program-card[data-file]')) {
        const ofLink = () => (card.open ||= location.hash.startsWith(`#${card.id}&`));
        ofLink();
        addEventListener('hashchange', ofLink);
        whenOpened(card, 'program_card.js', card.lastElementChild);
    }
    // A published book that the reader has run something in is kept as they read on.
    if (navigator.serviceWorker?.controller) {
        addEventListener('load', () => load('offline.js').catch(() => {}));
    }
    const notebook = document.getElementById('notebook');
    if (notebook) {
        attempt(() => load('notebook.js').then(({ start }) => start()), notebook.lastElementChild);
    }
    const list = document.querySelector('.exercise-list');
    if (list) {
        attempt(() => load('exercise_list.js').then(({ show }) => show(list)), list.closest('.table-frame'));
    }
})();
