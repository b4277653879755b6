// A cell's bar: what it says, and how its parts follow the controls, the reader's edits and a run.

import { command, differences, options, toAddress } from './controls.js';
import * as edits from './edits.js';
import { element } from './html.js';
import { progressed } from './task.js';

export const part = ({ form }, selector) => form.querySelector(selector);
/** In the cell, and where its kernels are being edited; once, since a screen reader reads what is written. */
export const say = (cell, sentence) => [part(cell, '.cell-status'), ...document.querySelectorAll(`.workbench-status[data-cell="${cell.number}"]`)]
    .filter(status => status.textContent !== sentence).forEach(status => (status.textContent = sentence));
export const isRunning = ({ form }) => form.classList.contains('running');

/** The cells that have run, and are to say so. */
export const touched = new Set();

/** What a run of the cell would be of: its options, and the reader's source. */
export const input = cell => `${options(cell).join(' ')}\n${edits.edited(cell)?.source ?? ''}`;

const IS_OLD = 'Changed since this result: Run shows the new one.';

/** Why a what-if cannot be chosen. */
const IS_OFF = 'These change the printed source, and the cell runs yours. Reset, below your code, brings the printed one back; your edit is kept.';

/** A result of other controls or other code is dimmed, and the cell says so. */
function showAge(cell) {
    const out = cell.element.querySelector('.live-out');
    const isOld = Boolean(out) && cell.ran !== input(cell);
    if (out && !isRunning(cell) && isOld !== out.matches('.old')) {
        out.classList.toggle('old', isOld);
        cell.said = isOld ? part(cell, '.cell-status').textContent : cell.said;
        say(cell, isOld ? IS_OLD : cell.said);
    }
}

/** The command, the address, the age of the result and the way back follow the controls. */
export function follow(cell, cells) {
    const isTouched = touched.has(cell) || differences(cell).length > 0;
    window.workbook.showCommand(cell.code, isTouched ? command(cell) : cell.command);
    part(cell, '.cell-reset').hidden = !isTouched;
    toAddress(cells);
    showEdited(cell);
    showAge(cell);
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
        const why = part(cell, '.what-if-off');
        why.hidden = !isEdited;
        why.textContent = isEdited ? IS_OFF : '';
    }
}

export function showRunning(cell, on) {
    const benches = document.querySelectorAll(`.workbench[data-cell="${cell.number}"]`);
    [cell.form, ...benches].forEach(place => place.classList.toggle('running', on));
    const buttons = [...benches].map(bench => bench.querySelector('.workbench-run'));
    [part(cell, '.cell-run'), ...buttons].forEach(button => (button.textContent = on ? 'Stop' : 'Run'));
    Object.assign(part(cell, 'progress'), { hidden: !on, value: 0 });
}

export const showProgress = (cell, fraction) => progressed(part(cell, 'progress'), fraction);
