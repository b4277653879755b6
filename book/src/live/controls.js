// What stands in a cell's controls, as a request to the simulator and as a command for the terminal.

const values = ({ form }) => Object.fromEntries(new FormData(form));

/** [name, value] of each control that is not as recorded. */
export const differences = cell => Object.entries(values(cell)).filter(([name, value]) => value !== cell.recorded[name]);

export const chosenWhatIf = ({ form, live }) => live.what_ifs.find(({ name }) => name === form.elements['what-if']?.value);

/** What is asked of the simulator. What the chapter takes by itself is not said, here and on the command line. */
export function request(cell) {
    const { live } = cell;
    const given = values(cell);
    const number = name => (given[name] ? Number(given[name]) : null);
    const unlessOwn = (name, asks, own) => (number(name) === own && !asks ? null : number(name));
    return {
        stem: live.stem,
        kernels: live.kernels,
        n: unlessOwn('n', live.asks_n, live.own_n),
        block: unlessOwn('block', live.asks_block, live.own_block),
        grid: number('grid'),
        seed: Number(given.seed),
        schedule: Number(given.schedule),
        pending_launches: number('pending-launches'),
    };
}

const thousands = n => String(n).replace(/\B(?=(\d{3})+$)/g, '_');
const size = n => (n >= 1024 && Number.isInteger(Math.log2(n)) ? `2^${Math.log2(n)}` : thousands(n));

export function command(cell) {
    const asked = request(cell);
    const words = [
        ...asked.kernels.map(kernel => `--kernel ${kernel}`),
        asked.n !== null && `--n ${size(asked.n)}`,
        asked.block !== null && `--block ${asked.block}`,
        asked.grid !== null && `--grid ${asked.grid}`,
        asked.seed !== 1 && `--seed ${asked.seed}`,
        asked.schedule !== 0 && `--schedule ${asked.schedule}`,
        asked.pending_launches !== null && `--pending-launches ${asked.pending_launches}`,
        chosenWhatIf(cell) && `--what-if ${chosenWhatIf(cell).name}`,
        '--device sim',
    ];
    return `cargo run --example ${asked.stem} -- ${words.filter(Boolean).join(' ')}`;
}
