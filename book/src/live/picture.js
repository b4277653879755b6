// A buffer of two dimensions, drawn: a grey value for each number, which stands below the drawing while one
// points at it, or goes there by the arrow keys.

import { element, thousands } from './html.js';

/** CSS pixels of an element, at most, and of the picture, unless an element has one of its own. */
const MOST_PIXELS = 24;
const WIDTH = 640;
const HEIGHT = 320;
/** What nobody has written. */
const UNWRITTEN = '?';

/** What the darkest and the lightest grey stand for. What is no finite number has none. */
function ends(values) {
    const finite = values.filter(Number.isFinite);
    return finite.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
        [Infinity, -Infinity]);
}

/** Paints an element as one pixel, of which CSS makes more. What has no grey is transparent. */
function paint(canvas, values, [low, high]) {
    const context = canvas.getContext('2d');
    const pixels = context.createImageData(canvas.width, canvas.height);
    values.forEach((value, place) => {
        if (Number.isFinite(value)) {
            const grey = high > low ? Math.round((255 * (value - low)) / (high - low)) : 128;
            pixels.data.set([grey, grey, grey, 255], 4 * place);
        }
    });
    context.putImageData(pixels, 0, 0);
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const between = (least, number, most) => Math.min(Math.max(number, least), most);

/** The figure of `rows` of as many `columns`: their `numbers`, with a blank between them; `isOfLaunch`: a
    launch says so, and no line. */
export function picture({ rows, columns, numbers, is_of_launch: isOfLaunch }) {
    const texts = numbers.split(' ');
    const values = texts.map(text => (text === UNWRITTEN ? NaN : Number(text)));
    const both = ends(values);
    const [low, high] = both;
    const from = isOfLaunch ? ', as the launch has threads' : '';
    const greys = low < high ? `; black is ${low}, white ${high}` : '';
    const about = `${thousands(rows)} rows of ${thousands(columns)}${from}${greys}`;
    const canvas = element('canvas', { width: columns, height: rows, tabIndex: 0, role: 'img',
        ariaLabel: about });
    canvas.style.width =
        `${Math.min(MOST_PIXELS, Math.max(1, Math.min(WIDTH / columns, HEIGHT / rows))) * columns}px`;
    paint(canvas, values, both);
    const caption = element('figcaption', { textContent: `${about}.` });
    const at = element('output', {});
    caption.append(' ', at);
    let [row, column] = [0, 0];
    const show = (newRow, newColumn) => {
        row = between(0, newRow, rows - 1);
        column = between(0, newColumn, columns - 1);
        const text = texts[row * columns + column];
        at.textContent = `[${row}][${column}] = ${text === UNWRITTEN ? 'never written' : text}`;
    };
    const point = ({ offsetX, offsetY }) =>
        show(Math.floor((offsetY * rows) / canvas.clientHeight),
            Math.floor((offsetX * columns) / canvas.clientWidth));
    canvas.addEventListener('pointermove', point);
    canvas.addEventListener('pointerdown', point);
    canvas.addEventListener('focus', () => show(row, column));
    canvas.addEventListener('keydown', event => {
        const step = STEPS[event.key];
        if (step) {
            event.preventDefault();
            event.stopPropagation(); // mdBook would turn the page
            show(row + step[0], column + step[1]);
        }
    });
    return element('figure', { className: 'buffer-picture' }, canvas, caption);
}
