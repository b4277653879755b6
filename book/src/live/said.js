// What the compiler and the simulator say: the lines that they name.

/** A line of source as the simulator shows it, with its number or marks below it; or that some are left out.
    */
const NUMBERED = /^ *\d* *\||^\.\.\.$/m;
/** Marks of a compiler, which stand below a line. */
const MARKS = /^ *[~^][ ~^]*$/;

/** `text` in pieces, each of lines of source, which must not be broken, or of none: { text, isSource }. */
export function inParts(text) {
    const lines = text.split(/(?<=\n)/);
    const isMarks = line => MARKS.test(line?.trimEnd() ?? '');
    const parts = [];
    lines.forEach((line, place) => {
        const isSource = NUMBERED.test(line) || isMarks(line) || isMarks(lines[place + 1]);
        if (parts.at(-1)?.isSource === isSource) {
            parts.at(-1).text += line;
        } else {
            parts.push({ text: line, isSource });
        }
    });
    return parts;
}

/** The number of a line of source that is shown, or one behind the name of its file. */
const LINE = /^ *(\d+)(?= \|)|([\w./-]+\.cuh?)[:(](\d+)/gm;

/** `text` in pieces, of which those that name a line are what `link(file, line, number)` makes of them;
    `before` has the file that was named last. */
export function linked(text, link, before = { file: '' }) {
    const pieces = [];
    let end = 0;
    let { file } = before;
    for (const { 0: all, 1: shown, 2: named = file, 3: number = shown, index } of text.matchAll(LINE)) {
        file = named;
        const start = index + all.length - number.length;
        pieces.push(text.slice(end, start), link(file, Number(number), number));
        end = start + number.length;
    }
    before.file = file;
    return [...pieces, text.slice(end)];
}

/** In which order diagnostics are marked: the first mark is open. A warning may explain why a loop does not
    end, but not one of what is never used. */
function rank({ kind, severity = kind, message }) {
    if (severity !== 'error') {
        return /\bunused\b/.test(message) ? 3 : 1;
    }
    return kind === 'step-limit' ? 2 : 0;
}

const inOrder = diagnostics => [...diagnostics].sort((one, other) => rank(one) - rank(other));

/** The places that diagnostics name, both sides of a race among them: Site[].
    @typedef {object} Site
    @property {string} file
    @property {number} line
    @property {string} words the mark at its line
    @property {string} sentence
    @property {string} [help]
    @property {{ file: string, line: number,
        words: string }[]} [others] the other places of the same diagnostic */
export const sites = diagnostics => inOrder(diagnostics)
    .flatMap(({ kind, file, line, message, help = '', related = [] }) => {
    const places = [{ file, line, words: kind },
        ...related.map(other => ({ file: other.file, line: other.line, words: other.message }))];
    const others = place => places.filter(other => other.line
        && (other.file !== place.file || other.line !== place.line));
    return places.map(place => ({ ...place, sentence: message, help, others: others(place) }));
});
