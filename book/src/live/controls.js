// What stands in a cell's controls: as a command line, and in the address, ?cell-2=n.1024_what-if.no-barrier,
// with a parameter for each cell that is not as recorded.

const values = ({ form }) => Object.fromEntries(new FormData(form));

/** [name, value] of each control that is not as recorded. */
export const differences = cell => Object.entries(values(cell))
    .filter(([name, value]) => value !== cell.recorded[name]);

export const chosenWhatIf = ({ form, live }) =>
    live.what_ifs.find(({ name }) => name === form.elements['what-if']?.value);

const thousands = n => String(n).replace(/\B(?=(\d{3})+$)/g, '_');
const size = n => (n >= 1024 && Number.isInteger(Math.log2(n)) ? `2^${Math.log2(n)}` : thousands(n));

/** The options of the chapter's command line. What the chapter takes by itself is not said. */
export function options(cell) {
    const { live } = cell;
    const given = values(cell);
    const unless = (name, own, asks) => given[name] && (Number(given[name]) !== own || asks);
    const words = [
        ...live.kernels.map(kernel => `--kernel ${kernel}`),
        unless('n', live.own_n, live.asks_n) && `--n ${size(Number(given.n))}`,
        unless('block', live.own_block, live.asks_block) && `--block ${given.block}`,
        given.grid && `--grid ${given.grid}`,
        unless('seed', 1) && `--seed ${given.seed}`,
        given.orders ? `--orders ${given.orders}` : unless('schedule', 0) && `--schedule ${given.schedule}`,
        given['pending-launches'] && `--pending-launches ${given['pending-launches']}`,
        chosenWhatIf(cell) && `--what-if ${chosenWhatIf(cell).name}`,
        live.simulated && '--device sim',
    ];
    return words.filter(Boolean);
}

export const command = cell => `cargo run --example ${cell.live.stem} -- ${options(cell).join(' ')}`;

/** Writes the controls of all `cells` into the address. */
export function toAddress(cells) {
    const address = new URL(location.href);
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

/** Puts what the address says of `cell` into its controls, as far as they have it; whether anything is other
    than recorded. */
export function fromAddress(cell) {
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
