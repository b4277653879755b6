// A cell's bar: what it says, and how its parts follow the controls, the reader's edits and a run.

import * as address from './address.js';
import { command, differences } from './controls.js';
import * as edits from './edits.js';
import { element } from './html.js';

export const part = ({ form }, selector) => form.querySelector(selector);
/** In the cell, and where its kernels are being edited. */
export const say = (cell, sentence) => [part(cell, '.cell-status'), ...document.querySelectorAll(`.workbench-status[data-cell="${cell.number}"]`)]
    .forEach(status => (status.textContent = sentence));
export const isRunning = ({ form }) => form.classList.contains('running');

/** The cells that have run, and are to say so. */
export const touched = new Set();

/** The command, the address and the way back follow the controls. */
export function follow(cell, cells) {
    const isTouched = touched.has(cell) || differences(cell).length > 0;
    window.workbook.showCommand(cell.code, isTouched ? command(cell) : cell.command);
    part(cell, '.cell-reset').hidden = !isTouched;
    address.write(cells);
    showEdited(cell);
}

/** Whether the cell runs what the reader has written, and what its command then leaves out. */
function showEdited(cell) {
    const isEdited = Boolean(edits.edited(cell));
    const { file } = cell.live;
    let note = part(cell, '.cell-edited');
    if (isEdited && !note) {
        const code = text => element('code', { textContent: text });
        note = element('p', { className: 'cell-edited' }, element('strong', { textContent: 'Runs your kernel.' }),
            ' The command above does so where your file (', element('em', { textContent: 'Download' }), ') has taken the place of ', code(file), '.');
        part(cell, '.cell-status').before(note);
    } else if (!isEdited) {
        note?.remove();
    }
    const whatIf = part(cell, '.what-if');
    if (whatIf) {
        whatIf.disabled = isEdited;
        whatIf.title = isEdited ? 'Of the printed source: Reset your edit first' : '';
    }
}

export function showRunning(cell, on) {
    const benches = document.querySelectorAll(`.workbench[data-cell="${cell.number}"]`);
    [cell.form, ...benches].forEach(place => place.classList.toggle('running', on));
    const buttons = [...benches].map(bench => bench.querySelector('.workbench-run'));
    [part(cell, '.cell-run'), ...buttons].forEach(button => (button.textContent = on ? 'Stop' : 'Run'));
    Object.assign(part(cell, 'progress'), { hidden: !on, value: 0 });
}

/** How far it is; nothing, if it is not known. */
export function showProgress(cell, fraction) {
    const bar = part(cell, 'progress');
    if (fraction === undefined) {
        bar.removeAttribute('value');
    } else {
        bar.value = fraction;
    }
}
