// A multiprocessor whose launch the reader chooses: the model of chapters/src/ch7_limit/machine.rs.
// theme/figures.js loads this with the player.

import { element, thousands } from './html.js';

const [THREADS, BLOCKS, WARPS, PARTS] = [2048, 32, 64, 20];
/** Where the figure's keyed items stand: warps, two lines, the parts of the pipe, a line, then marks. */
const [LINES, PIPE, BYTES, MARKS] = [WARPS, WARPS + 2, WARPS + 2 + PARTS, WARPS + 3 + PARTS];
const CHOICES = {
    'threads per block': [32, 64, 128, 256, 512, 1024],
    blocks: [32, 66, 132, 264, 528, 1056, 2112, 4224],
    'loads per thread': [1, 2, 4, 8, 16],
};

/** What the model says of a launch. */
function modelled({ multiprocessors, latency, peak }, [threads, blocks, loads]) {
    const resident = Math.min(Math.ceil(blocks / multiprocessors), Math.floor(THREADS / threads), BLOCKS);
    const bytes = (Math.min(blocks, resident * multiprocessors) * threads * loads * 4) / multiprocessors;
    return { resident, bytes, full: (latency * peak) / multiprocessors,
        rate: Math.min(peak, (bytes * multiprocessors) / latency) };
}

/** A mark of the reader's own in the diagram: what moves it. */
function ownMark(svg, { peak, diagram: [least, most, left, width, top, height] }) {
    const mark = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    Object.entries({ class: 'off', width: '8', height: '8' })
        .forEach(([name, value]) => mark.setAttribute(name, value));
    svg.append(mark);
    return (bytes, rate) => {
        const along = Math.max(0, Math.min(1, (Math.log2(bytes) - least) / (most - least)));
        mark.setAttribute('class', 'written');
        mark.setAttribute('x', `${left + width * along - 4}`);
        mark.setAttribute('y', `${top + height * (1 - rate / peak) - 4}`);
        return mark;
    };
}

export function start(frame) {
    const { player } = frame.querySelector('figure');
    const figure = frame.querySelector('figure');
    const machine = JSON.parse(frame.dataset.of);
    const moved = ownMark(figure.querySelector('.film-stage svg'), machine);
    const look = (item, name) => player.items[item].setAttribute('class', name);
    const show = launch => {
        const [threads, blocks, loads] = launch;
        const { resident, bytes, full, rate } = modelled(machine, launch);
        const perBlock = Math.ceil(threads / 32);
        for (let warp = 0; warp < WARPS; warp += 1) {
            look(warp, warp >= resident * perBlock ? 'idle' : Math.floor(warp / perBlock) % 2 ? 'written'
                : 'works');
        }
        player.items[LINES].textContent =
            `${resident} ${resident === 1 ? 'block' : 'blocks'} of ${thousands(threads)} threads`;
        player.items[LINES + 1].textContent =
            `occupancy ${Math.round((100 * resident * threads) / THREADS)}%`;
        const filled = Math.max(1, Math.min(PARTS, Math.round((PARTS * bytes) / full)));
        for (let part = 0; part < PARTS; part += 1) {
            look(PIPE + part, part < filled ? 'asked' : 'idle');
        }
        player.items[BYTES].textContent = `${thousands(Math.round(bytes))} bytes, at most`;
        machine.launches.forEach((_, number) => {
            look(MARKS + 2 * number, 'off');
            look(MARKS + 2 * number + 1, 'ended');
        });
        moved(bytes, rate);
        player.runs.forEach(run => run.setAttribute('aria-pressed', 'false'));
        player.say.textContent = `${thousands(blocks)} blocks of ${threads} threads, each with ${loads} ` +
            `${loads === 1 ? 'load' : 'loads'} of 4 bytes under way: the law allows ` +
            `${Math.round((100 * rate) / machine.peak)}% of the peak rate.`;
    };
    const sliders = Object.entries(CHOICES).map(([name, values]) => {
        const output = element('output', {});
        const input = element('input', { type: 'range', min: 0, max: values.length - 1,
            autocomplete: 'off' });
        const tell = () => {
            output.textContent = thousands(values[input.value]);
            input.setAttribute('aria-valuetext', output.textContent);
        };
        input.addEventListener('input', () => {
            tell();
            show(sliders.map(({ now }) => now()));
        });
        const set = value => {
            input.value = String(values.indexOf(value));
            tell();
        };
        return { now: () => values[input.value], set,
            label: element('label', {}, `${name} `, input, output) };
    });
    // A kernel of the book: its own launch, drawn by the player.
    const recorded = track => {
        moved(1, 0).setAttribute('class', 'off');
        machine.launches[track].forEach((value, number) => sliders[number].set(value));
    };
    player.runs.forEach((run, track) => run.addEventListener('click', () => recorded(track)));
    recorded(player.track);
    frame.append(element('div', { className: 'film-bar', role: 'group', ariaLabel: 'Your own launch' },
        ...sliders.map(({ label }) => label)));
}
