// Functions about cards with a mistake that run inside a page of the book. Each stands alone: it is sent
// there as text.

exports.isIdle = () => !document.querySelector('.running');

exports.insert = text => document.execCommand('insertText', false, text);

/** What the card at `at` says, what is marked in the editor, and at which lines, and what was printed. */
exports.shown = at => {
    const card = document.querySelector(at);
    const lineOf = mark => {
        let line = mark;
        while (line && !line.matches('.cm-line')) {
            line = line.previousElementSibling;
        }
        return line?.textContent ?? '';
    };
    const marks = [...document.querySelectorAll('.editor-mark')].map(mark => ({ line: lineOf(mark),
        isOpen: mark.open, says: mark.innerText }));
    const box = document.querySelector('.printed > code');
    return {
        status: card.querySelector('.card-status').textContent,
        out: card.querySelector('.live-out, .exercise-out, .notebook-out')?.textContent ?? '',
        marks,
        printed: { text: box?.textContent ?? '',
            scrolls: Boolean(box) && box.scrollHeight > box.clientHeight && box.clientHeight < 500 },
    };
};

/** An exercise draws its figure when it is asked to; whether it was. */
exports.pressFigure = () => {
    const button = [...document.querySelectorAll('.exercise-bar button')].find(button =>
        button.textContent === 'Figure' && button.closest('.exercise-card').querySelector('.cm-content'));
    button?.click();
    return Boolean(button);
};

/** What a card can show, and does not. */
exports.notInView = () => {
    const out = ':is(.live-out, .exercise-out, .notebook-out)';
    const parts = ['.cm-content', '.editor-mark.found[open]', `${out} pre`, `${out} figure svg`];
    return parts.filter(part => !document.querySelector(part)?.checkVisibility());
};
