// A figure that can show the reader's own run: sliders, and the simulator in this page. theme/figures.js loads this with
// the player.

import { element, parsed } from './html.js';
import * as simulator from './simulator.js';

const thousands = number => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

class Own {
    constructor(frame) {
        this.frame = frame;
        this.recorded = frame.querySelector('figure');
        const { request, ...controls } = JSON.parse(frame.dataset.of);
        this.request = request;
        this.controls = ['n', 'block'].map(name => this.slider(name, controls[name]));
        this.status = element('p', { className: 'film-status', role: 'status' });
        const bar = element('div', { className: 'film-bar', role: 'group', ariaLabel: 'Your own run' }, ...this.controls.map(({ label }) => label));
        this.frame.append(bar, this.status);
    }

    slider(name, { label, values, value }) {
        const input = element('input', { type: 'range', min: 0, max: values.length - 1, value: values.indexOf(value), autocomplete: 'off' });
        const output = element('output', {});
        const now = () => values[input.value];
        const show = () => {
            output.textContent = thousands(now());
            input.setAttribute('aria-valuetext', thousands(now()));
        };
        show();
        input.addEventListener('input', show);
        input.addEventListener('change', () => this.run());
        // The page would be turned.
        input.addEventListener('keydown', event => event.stopPropagation());
        return { name, now, isRecorded: () => now() === value, label: element('label', {}, `${label} `, input, output) };
    }

    async run() {
        if (this.controls.every(({ isRecorded }) => isRecorded())) {
            this.latest = undefined;
            this.show(this.recorded);
            this.status.textContent = 'As recorded.';
            return;
        }
        const sizes = this.controls.map(({ name, now }) => `--${name} ${now()}`);
        const asked = { ...this.request, options: [...this.request.options, ...sizes] };
        this.latest = asked;
        const begin = () => (this.status.textContent = 'Running …');
        const { answer, error, sentence = error } = await simulator.run(asked, begin, () => {}).catch(() => ({ sentence: 'The simulator could not be fetched.' }));
        if (this.latest !== asked) {
            return;
        }
        if (answer?.films?.length) {
            this.show(parsed(answer.films[0]).querySelector('figure'));
        }
        this.status.textContent = sentence ?? 'Your own run, in this page.';
    }

    /** In place of the figure that is there, with the same run of several chosen. */
    show(figure) {
        const old = this.frame.querySelector('figure');
        figure.id = old.id;
        old.replaceWith(figure);
        window.playFilms(this.frame);
        figure.player.choose(Math.min(old.player?.track ?? 0, figure.player.film.tracks.length - 1));
    }
}

export const start = frame => new Own(frame);
