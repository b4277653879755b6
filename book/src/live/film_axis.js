// A time axis that zooms continuously: slider, keyboard, wheel. The figure's own runs are fixed scales, to
// begin from. theme/figures.js loads this with the player.

import { element } from './html.js';

const [LEFT, WIDTH, BAR] = [8, 344, 14];
/** Narrower parts are not told apart. */
const NARROWEST = 4;
const STEPS = 1000;
/** Seconds from the nearest scale to the farthest. */
const SECONDS = 4.5;

/** Three digits, as the records' times are written. */
function number(value) {
    return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : Math.round(value)
        .toLocaleString('en');
}
function time(us) {
    const [unit, name] = us < 1 ? [1e-3, 'ns'] : us < 1e3 ? [1, 'µs'] : us < 1e6 ? [1e3, 'ms'] : [1e6, 's'];
    return `${number(us / unit)} ${name}`;
}

/** The scale in words, as the figure says it of its fixed ones. */
function words(bars, scale) {
    const ended = bars.filter(({ time }) => time <= scale).map(({ label }) => label);
    const isTold = ({ time: all, launches }) => launches > 1 && all > scale
        && (WIDTH * all) / launches / scale >= NARROWEST;
    const parts = bars.filter(isTold).map(({ label, time: all, launches }) =>
        `${label}, after about ${Math.floor((scale * launches) / all).toLocaleString('en')} of ` +
        `${launches.toLocaleString('en')} launches, the host's included`);
    const still = parts.length ? ` Still at work: ${parts.join('; ')}.` : '';
    return `The first ${time(scale)}. What has ended: ${ended.join(', ') || 'nothing yet'}.${still}`;
}

/** A bar and its cuts for each way, in place of those of the fixed scales: what draws them at a scale. */
function rows(svg, bars) {
    const drawn = [...svg.querySelectorAll('rect[data-k], path[data-k]')];
    const tops = [...new Set(drawn.filter(item => item.tagName === 'rect')
        .map(item => item.getAttribute('y')))];
    drawn.forEach(item => (item.style.display = 'none'));
    const shape = (name, attributes) => {
        const made = document.createElementNS('http://www.w3.org/2000/svg', name);
        Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
        svg.append(made);
        return made;
    };
    return tops.map((y, row) => {
        const bar = shape('rect', { class: 'asked', x: LEFT, y, height: BAR });
        const cuts = shape('path', { class: 'cut' });
        const { time: all, launches } = bars[row];
        return scale => {
            const whole = (WIDTH * all) / scale;
            const [width, part] = [Math.max(1, Math.min(WIDTH, whole)), whole / Math.max(1, launches)];
            bar.setAttribute('width', width);
            const cut = part >= NARROWEST ? Array.from({ length: Math.ceil(Math.min(launches,
                width / part)) - 1 }, (_, i) => `M${LEFT + part * (i + 1)} ${y}v${BAR}`) : [];
            const goesOn = whole > WIDTH ? `M${LEFT + WIDTH - 8} ${y - 2}l6 9l-6 9` : '';
            cuts.setAttribute('d', cut.join('') + goesOn);
        };
    });
}

/** The length of the axis in a run of the figure. */
function fixed({ label }) {
    const [, value, unit] = label.match(/^([\d.,]+)\s(ns|µs|ms|s)$/);
    return Number(value.replace(',', '')) * { ns: 1e-3, µs: 1, ms: 1e3, s: 1e6 }[unit];
}

export function start(frame) {
    const figure = frame.querySelector('figure');
    const { player } = figure;
    const svg = figure.querySelector('.film-stage svg');
    const bars = JSON.parse(frame.dataset.of).map(([label, time, launches]) => ({ label, time, launches }));
    const scales = player.film.tracks.map(fixed);
    const [least, most] = [Math.min(...bars.map(({ time }) => time)) * 1.2, Math.max(...scales)];
    const slider = element('input', { type: 'range', min: 0, max: STEPS, step: 5,
        ariaLabel: 'Length of the axis', autocomplete: 'off' });
    const draws = rows(svg, bars);
    let now;
    const zoom = scale => {
        now = Math.max(least, Math.min(most, scale));
        draws.forEach(draw => draw(now));
        player.items.at(-1).textContent = time(now);
        player.say.textContent = words(bars, now);
        player.runs.forEach((run, track) => run.setAttribute('aria-pressed',
            String(Math.abs(scales[track] / now - 1) < 1e-3)));
        slider.value = String((STEPS * Math.log(now / least)) / Math.log(most / least));
        slider.setAttribute('aria-valuetext', `the first ${time(now)}`);
    };
    // Playing, the axis grows by the same factor in the same time.
    let playing = 0;
    const play = element('button', { type: 'button', textContent: '▶', ariaLabel: 'Play', title: 'Play' });
    const stop = () => {
        cancelAnimationFrame(playing);
        playing = 0;
        play.textContent = '▶';
        player.say.setAttribute('aria-live', 'polite');
        play.ariaLabel = play.title = 'Play';
    };
    const start = () => {
        const from = now < most ? now : least;
        const begun = performance.now();
        const step = at => {
            const scale = from * (most / least) ** (Math.max(0, at - begun) / 1000 / SECONDS);
            zoom(scale);
            if (scale < most) {
                playing = requestAnimationFrame(step);
            } else {
                stop();
            }
        };
        playing = requestAnimationFrame(step);
        play.textContent = '❚❚';
        player.say.setAttribute('aria-live', 'off'); // it changes all the time
        play.ariaLabel = play.title = 'Pause';
    };
    play.addEventListener('click', () => (playing ? stop() : start()));
    slider.addEventListener('input', () => {
        stop();
        zoom(least * (most / least) ** (Number(slider.value) / STEPS));
    });
    figure.querySelector('.film-stage').after(element('div', { className: 'film-bar film-zoom' }, play,
        'near', slider, 'far'));
    player.runs.forEach((run, track) => run.addEventListener('click', () => {
        stop();
        zoom(scales[track]);
    }));
    // Without Ctrl the wheel scrolls the page, unless the reader is at work here.
    svg.addEventListener('wheel', event => {
        if (event.ctrlKey || event.metaKey || figure.contains(document.activeElement)) {
            event.preventDefault();
            stop();
            zoom(now * 1.0015 ** event.deltaY);
        }
    }, { passive: false });
    zoom(scales[player.track]);
    // The first picture of the book moves by itself, once, for whoever likes motion.
    if (figure.id === 'film-sums' && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
        zoom(least);
        start();
    }
}
