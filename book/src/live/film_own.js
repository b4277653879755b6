// A figure that can show the reader's own run: sliders, and the simulator in this page. theme/figures.js
// loads this with the player.

import { element, parsed, thousands } from './html.js';
import * as simulator from './simulator.js';
import { perform, stop } from './card.js';

/** A slider for an option of the run; `changed` hears of every choice. */
function slider(name, { label, values, value }, changed) {
    const input = element('input', { type: 'range', min: 0, max: values.length - 1,
        value: values.indexOf(value), autocomplete: 'off', onchange: changed });
    const output = element('output', {});
    const now = () => values[input.value];
    const tell = () => {
        output.textContent = thousands(now());
        input.setAttribute('aria-valuetext', thousands(now()));
    };
    input.oninput = tell;
    tell();
    return { option: () => `--${name} ${now()}`, isRecorded: () => now() === value,
        label: element('label', {}, `${label} `, input, output) };
}

export function start(frame) {
    const recorded = frame.querySelector('figure');
    const { request, ...controls } = JSON.parse(frame.dataset.of);
    const status = element('p', { className: 'film-status', role: 'status' });
    const card = { places: () => [{ frame, status }] };
    /** In place of the figure that is there, with the same run of several chosen. */
    const show = figure => {
        const old = frame.querySelector('figure');
        figure.id = old.id;
        old.replaceWith(figure);
        window.playFilms(frame);
        figure.player.choose(Math.min(old.player?.track ?? 0, figure.player.film.tracks.length - 1));
    };
    const run = () => {
        stop(card);
        if (sliders.every(({ isRecorded }) => isRecorded())) {
            show(recorded);
            status.textContent = 'As recorded.';
            return;
        }
        const options = [...request.options, ...sliders.map(({ option }) => option())];
        perform(card, async (signal, tell) => {
            const { answer, error } = await simulator.run({ ...request, options }, signal, tell);
            if (answer?.films?.length) {
                show(parsed(answer.films[0]).querySelector('figure'));
            }
            status.textContent = error ?? 'Your own run, in this page.';
        }, 'Move a slider');
    };
    const sliders = ['n', 'block'].map(name => slider(name, controls[name], run));
    frame.append(element('div', { className: 'film-bar', role: 'group', ariaLabel: 'Your own run' },
        ...sliders.map(({ label }) => label)), status);
}
