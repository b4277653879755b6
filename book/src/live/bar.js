// A cell as a card: its bar, and how that follows the controls, the reader's edits and a run.

import { showAge } from './card.js';
import { command, differences, options, toAddress } from './controls.js';
import * as edits from './edits.js';
import { element } from './html.js';

export const part = ({ form }, selector) => form.querySelector(selector);

/** The cells that have run, and are to say so. */
export const touched = new Set();

/** What a run of the cell would be of: its options, and the reader's source. */
export const input = cell => `${options(cell).join(' ')}\n${edits.edited(cell)?.source ?? ''}`;

/** What a card has, of a cell of theme/live.js; it also shows how far it is where its kernels are being
    edited, `benches`. */
export function asCard(cell) {
    if (cell.places) {
        return;
    }
    const own = { frame: cell.form, run: part(cell, '.card-run'), status: part(cell, '.card-status'),
        progress: part(cell, 'progress') };
    Object.assign(cell, {
        verb: 'Run',
        benches: new Set(),
        places: () => [own, ...cell.benches],
        isOld: () => cell.ran !== input(cell),
    });
    Object.defineProperty(cell, 'out', { get: () => cell.element.querySelector('.live-out') });
}

/** Why a what-if cannot be chosen. */
const IS_OFF = 'These change the printed source, and the cell runs yours. Reset, below your code, brings ' +
    'the printed one back; your edit is kept.';

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
        note = element('p', { className: 'cell-edited' },
            element('strong', { textContent: 'Runs your kernel.' }),
            ' To run yours in a terminal: ', element('em', { textContent: 'Download' }),
            ' it, put it in the place of ', code(file),
            ', and run the command above', ...(cell.live.simulated
                ? ['; without ', code('--device sim'), ' it takes your GPU'] : []), '.');
        part(cell, '.card-status').before(note);
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
