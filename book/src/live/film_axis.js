// A time axis that zooms continuously: slider, keyboard, wheel, two fingers. The figure's own runs are fixed scales, to
// begin from. theme/figures.js loads this with the player.

import { element } from './html.js';

const [LEFT, WIDTH, BAR] = [8, 344, 14];
/** Narrower parts are not told apart. */
const NARROWEST = 4;
const STEPS = 1000;

/** Three digits, as the records' times are written. */
function number(value) {
    return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}
function time(us) {
    const [unit, name] = us < 1 ? [1e-3, 'ns'] : us < 1e3 ? [1, 'µs'] : us < 1e6 ? [1e3, 'ms'] : [1e6, 's'];
    return `${number(us / unit)} ${name}`;
}

/** The scale in words, as the figure says it of its fixed ones. */
function words(bars, scale) {
    const ended = bars.filter(({ time }) => time <= scale).map(({ label }) => label);
    const isTold = ({ time: all, launches }) => launches > 1 && all > scale && (WIDTH * all) / launches / scale >= NARROWEST;
    const parts = bars.filter(isTold).map(({ label, time: all, launches }) =>
        `${label}, after about ${Math.floor((scale * launches) / all).toLocaleString('en')} of ${launches.toLocaleString('en')} launches`);
    const still = parts.length ? ` Still at work: ${parts.join('; ')}.` : '';
    return `The first ${time(scale)}. What has ended: ${ended.join(', ') || 'nothing yet'}.${still}`;
}

class Axis {
    constructor(frame) {
        this.figure = frame.querySelector('figure');
        this.bars = JSON.parse(frame.dataset.of).map(([label, time, launches]) => ({ label, time, launches }));
        this.svg = this.figure.querySelector('.film-stage svg');
        const times = this.bars.map(({ time }) => time);
        [this.least, this.most] = [Math.min(...times) * 1.2, Math.max(...this.figure.player.film.tracks.map((_, track) => this.fixed(track)))];
        this.draw = this.rows();
        this.addSlider();
        this.addGestures();
        this.figure.querySelectorAll('.film-bar[aria-label="Run"] button').forEach((button, track) => {
            button.addEventListener('click', () => this.zoom(this.fixed(track)));
        });
        this.zoom(this.fixed(this.figure.player.track));
    }

    /** The length of the axis in a run of the figure. */
    fixed(track) {
        const [, value, unit] = this.figure.player.film.tracks[track].label.match(/^([\d.,]+)\s(ns|µs|ms|s)$/);
        return Number(value.replace(',', '')) * { ns: 1e-3, µs: 1, ms: 1e3, s: 1e6 }[unit];
    }

    /** A bar and its cuts for each way, in place of those of the fixed scales. */
    rows() {
        const drawn = [...this.svg.querySelectorAll('rect[data-k], path[data-k]')];
        const tops = [...new Set(drawn.filter(item => item.tagName === 'rect').map(item => item.getAttribute('y')))];
        drawn.forEach(item => (item.style.display = 'none'));
        const shape = (name, attributes) => {
            const made = document.createElementNS('http://www.w3.org/2000/svg', name);
            Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
            this.svg.append(made);
            return made;
        };
        return tops.map((y, row) => {
            const bar = shape('rect', { class: 'asked', x: LEFT, y, height: BAR });
            const cuts = shape('path', { class: 'cut' });
            const { time: all, launches } = this.bars[row];
            return scale => {
                const whole = (WIDTH * all) / scale;
                const [width, part] = [Math.max(1, Math.min(WIDTH, whole)), whole / Math.max(1, launches)];
                bar.setAttribute('width', width);
                const cut = part >= NARROWEST ? Array.from({ length: Math.ceil(Math.min(launches, width / part)) - 1 }, (_, i) => `M${LEFT + part * (i + 1)} ${y}v${BAR}`) : [];
                const goesOn = whole > WIDTH ? `M${LEFT + WIDTH - 8} ${y - 2}l6 9l-6 9` : '';
                cuts.setAttribute('d', cut.join('') + goesOn);
            };
        });
    }

    zoom(scale) {
        this.scale = Math.max(this.least, Math.min(this.most, scale));
        this.draw.forEach(draw => draw(this.scale));
        const { player } = this.figure;
        player.items.at(-1).textContent = time(this.scale);
        player.say.textContent = words(this.bars, this.scale);
        player.runs.forEach((run, track) => run.setAttribute('aria-pressed', String(Math.abs(this.fixed(track) / this.scale - 1) < 1e-3)));
        this.slider.value = (STEPS * Math.log(this.scale / this.least)) / Math.log(this.most / this.least);
        this.slider.setAttribute('aria-valuetext', `the first ${time(this.scale)}`);
    }

    addSlider() {
        this.slider = element('input', { type: 'range', min: 0, max: STEPS, step: 5, ariaLabel: 'Length of the axis', autocomplete: 'off' });
        this.slider.addEventListener('input', () => this.zoom(this.least * (this.most / this.least) ** (this.slider.value / STEPS)));
        // The page would be turned.
        this.slider.addEventListener('keydown', event => event.stopPropagation());
        const bar = element('div', { className: 'film-bar film-zoom' }, 'near', this.slider, 'far');
        this.figure.querySelector('.film-stage').after(bar);
    }

    addGestures() {
        // Without Ctrl the wheel scrolls the page, unless the reader is at work here.
        this.svg.addEventListener('wheel', event => {
            if (event.ctrlKey || event.metaKey || this.figure.contains(document.activeElement)) {
                event.preventDefault();
                this.zoom(this.scale * 1.0015 ** event.deltaY);
            }
        }, { passive: false });
        const fingers = new Map();
        const apart = () => Math.hypot(...['x', 'y'].map(axis => [...fingers.values()].map(at => at[axis]).reduce((a, b) => a - b)));
        this.svg.style.touchAction = 'pan-y';
        this.svg.addEventListener('pointerdown', event => fingers.set(event.pointerId, { x: event.clientX, y: event.clientY }));
        this.svg.addEventListener('pointermove', event => {
            if (!fingers.has(event.pointerId) || fingers.size !== 2) {
                return;
            }
            const before = apart();
            fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
            this.zoom((this.scale * Math.max(1, before)) / Math.max(1, apart()));
        });
        for (const end of ['pointerup', 'pointercancel', 'pointerleave']) {
            this.svg.addEventListener(end, event => fingers.delete(event.pointerId));
        }
    }
}

export const start = frame => new Axis(frame);
