// Plays the figures that have frames: play, step, scrub, choose a run. The frames stand in the page beside
// each figure; without this script, and on paper, the figure shows one of them. theme/figures.js loads it
// when one comes into view, and whoever puts another figure into the page calls `playFilms`.
'use strict';

(() => {
    const PACE = 1400;
    const SPEEDS = ['0.5', '1', '2', '4'];
    const SVG_CLASS = 'class';

    function element(name, attributes, ...children) {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(attributes)) {
            made.setAttribute(key, value);
        }
        made.append(...children);
        return made;
    }

    class Player {
        constructor(figure, film) {
            this.figure = figure;
            this.film = film;
            this.items = [...figure.querySelectorAll('.film-stage svg [data-k]')];
            this.say = figure.querySelector('.film-say');
            this.code = figure.querySelector('.film-code code');
            this.message = figure.querySelector('.film-message');
            this.track = 0;
            this.frame = 0;
            this.timer = 0;
            this.addBar();
            this.show(film.opens ?? film.frame);
            /** Until the reader has touched it: then Play begins at the first frame. */
            this.isFresh = true;
            this.say.setAttribute('aria-live', 'polite');
        }

        get frames() {
            return this.film.tracks[this.track].frames;
        }

        addBar() {
            const button = (label, words, act) => {
                const made = element('button', { type: 'button', 'aria-label': words, title: words }, label);
                made.addEventListener('click', act);
                return made;
            };
            this.playing = button('▶', 'Play', () => this.toggle());
            this.scrub = element('input', { type: 'range', min: '0', 'aria-label': 'Step' });
            this.scrub.addEventListener('input', () => this.stopAt(Number(this.scrub.value)));
            this.place = element('output', {});
            this.speed = element('select', { 'aria-label': 'Speed', title: 'Speed', autocomplete: 'off' },
                ...SPEEDS.map(speed => element('option', { value: speed }, `${speed}×`)));
            this.speed.value = '1';
            this.speed.addEventListener('change', () => this.timer && this.play());
            const bar = element('div', { class: 'film-bar', role: 'group', 'aria-label': 'Player' },
                button('◀', 'One step back', () => this.stopAt(this.frame - 1)),
                this.playing,
                button('▶|', 'One step on', () => this.stopAt(this.frame + 1)),
                this.scrub, this.place, this.speed);
            const runs = this.film.tracks.map((track, number) => {
                const made = button(track.label, track.label, () => this.choose(number));
                made.removeAttribute('title');
                return made;
            });
            this.runs = runs.length > 1 ? runs : [];
            if (this.runs.length) {
                this.figure.prepend(element('div', { class: 'film-bar', role: 'group', 'aria-label': 'Run' },
                    ...runs));
            }
            if (this.film.tracks.some(track => track.frames.length > 1)) {
                this.figure.querySelector('.film-stage').after(bar);
            }
            this.figure.addEventListener('keydown', event => this.key(event));
        }

        key(event) {
            if (event.target.matches('.steps-frame, select, .film-zoom input')) {
                return; // which have keys of their own
            }
            const steps = { ArrowLeft: -1, ArrowRight: 1 };
            if (event.key in steps) {
                // The page would be turned.
                event.stopPropagation();
                event.preventDefault();
                this.stopAt(this.frame + steps[event.key]);
            } else if (event.key === 'Home' || event.key === 'End') {
                event.preventDefault();
                this.stopAt(event.key === 'Home' ? 0 : this.frames.length - 1);
            }
        }

        choose(number) {
            const last = this.frame === this.frames.length - 1;
            this.turnTo(number, last ? Infinity : this.frame);
        }

        turnTo(track, frame) {
            this.stop();
            this.track = track;
            this.list();
            this.show(frame);
        }

        /** On paper stands what stands there without this script; after it, what was there before. */
        print(isOver) {
            if (isOver) {
                this.turnTo(...this.seen);
            } else {
                this.seen = [this.track, this.frame];
                this.turnTo(0, this.film.frame);
            }
        }

        /** The lines of the source and the message of the run. */
        list() {
            const { label, listing, message } = this.film.tracks[this.track];
            const run = this.figure.querySelector('.film-run');
            if (run) {
                run.textContent = `${label}:`; // on paper
            }
            if (this.code) {
                this.code.replaceChildren(...listing.map(([line, text]) =>
                    element('span', { 'data-line': line }, `${text}\n`)));
            }
            if (message && !this.message) {
                this.message = element('p', { class: 'film-message' });
                this.say.after(this.message);
            }
            if (this.message) {
                this.message.textContent = message ?? '';
            }
        }

        toggle() {
            if (this.timer) {
                this.stop();
                return;
            }
            if (this.isFresh || this.frame === this.frames.length - 1) {
                this.show(0);
            }
            this.play();
        }

        play() {
            clearInterval(this.timer);
            this.timer = setInterval(() => this.advance(), PACE / this.speed.value);
            this.isFresh = false;
            this.mark();
        }

        advance() {
            this.show(this.frame + 1);
            if (this.frame === this.frames.length - 1) {
                this.stop();
            }
        }

        stop() {
            clearInterval(this.timer);
            this.timer = 0;
            this.mark();
        }

        stopAt(frame) {
            this.isFresh = false;
            this.stop();
            this.show(frame);
        }

        mark() {
            this.playing.textContent = this.timer ? '❚❚' : '▶';
            this.playing.setAttribute('aria-label', this.timer ? 'Pause' : 'Play');
            this.playing.title = this.timer ? 'Pause' : 'Play';
        }

        show(asked) {
            const frames = this.frames;
            this.frame = Math.max(0, Math.min(frames.length - 1, asked));
            const { say, line } = frames[this.frame];
            const looks = this.film.base.slice();
            for (const { set } of frames.slice(0, this.frame + 1)) {
                for (const [number, name, words] of set) {
                    looks[number] = [name, words ?? null];
                }
            }
            this.items.forEach((item, number) => {
                const [name, words] = looks[number];
                item.setAttribute(SVG_CLASS, name);
                if (words !== null && item.textContent !== words) {
                    item.textContent = words;
                }
            });
            this.say.textContent = say;
            if (this.message) {
                const { message, found } = this.film.tracks[this.track];
                this.message.hidden = !message || this.frame < (found ?? 0);
            }
            this.code?.querySelectorAll('span').forEach(span =>
                span.classList.toggle('runs', Number(span.dataset.line) === line));
            this.scrub.max = String(frames.length - 1);
            this.scrub.value = String(this.frame);
            this.scrub.setAttribute('aria-valuetext', say);
            this.place.textContent = `${this.frame + 1} of ${frames.length}`;
            this.runs.forEach((run, number) => run.setAttribute('aria-pressed',
                String(number === this.track)));
            this.mark();
        }
    }

    const print = isOver => {
        // An axis that zooms stands as it is.
        for (const { player } of document.querySelectorAll('figure.film:not([data-film="axis"] *)')) {
            player?.print(isOver);
        }
    };
    window.addEventListener('beforeprint', () => print(false));
    window.addEventListener('afterprint', () => print(true));

    /** Makes the figures below `root` play that don't yet. */
    window.playFilms = root => {
        for (const figure of root.querySelectorAll('figure.film')) {
            const film = figure.querySelector(':scope > script');
            if (film && !figure.player) {
                figure.player = new Player(figure, JSON.parse(film.textContent));
            }
        }
    };
    window.playFilms(document);
})();
