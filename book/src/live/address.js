// The controls in the address: ?cell-2=n.1024_what-if.no-barrier, a parameter for each cell that is not as recorded.

import { differences } from './controls.js';

/** Writes the controls of all `cells` into the address. */
export function write(cells) {
    const address = new URL(location);
    for (const cell of cells) {
        const value = differences(cell).map(pair => pair.join('.')).join('_');
        if (value) {
            address.searchParams.set(cell.element.id, value);
        } else {
            address.searchParams.delete(cell.element.id);
        }
    }
    if (address.href !== location.href) {
        history.replaceState(history.state, '', address);
    }
}

/** Puts what the address says of `cell` into its controls, as far as they have it; whether anything is other than recorded. */
export function read(cell) {
    const value = new URLSearchParams(location.search).get(cell.element.id) ?? '';
    for (const [name, setting] of value.split('_').map(pair => pair.split('.'))) {
        const control = cell.form.elements[name];
        const before = control?.value;
        if (before !== undefined) {
            control.value = setting;
            if (control.value !== setting) {
                control.value = before;
            }
        }
    }
    return differences(cell).length > 0;
}
