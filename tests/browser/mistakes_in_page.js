// Functions about cards that run inside a page of the book. Each stands alone: it is sent there as text.

exports.shown = at => {
    const card = document.querySelector(at);
    const marks = [...document.querySelectorAll('.editor-mark')].map(mark => {
        let line = mark;
        while (line && !line.matches('.cm-line')) {
            line = line.previousElementSibling;
        }
        return { line: line?.textContent ?? '', isOpen: mark.open, says: mark.innerText, leads: mark.querySelectorAll('.editor-leads button').length };
    });
    const box = document.querySelector('.printed code');
    const out = document.querySelector('.live-out, .exercise-out, .notebook-out')?.cloneNode(true);
    out?.querySelectorAll('.cell-steps').forEach(e => e.remove());
    return {
        status: [...document.querySelectorAll('.card-status')].map(status => status.textContent).filter(Boolean),
        out: out?.textContent ?? '',
        marks,
        printed: box && { text: box.textContent, tall: box.clientHeight, whole: box.scrollHeight },
    };
};
