// What the compiler and the simulator say: the lines that they name.

/** The number of a line of source that is shown, or one behind the name of its file. */
const LINE = /^ *(\d+)(?= \|)|([\w./-]+\.cuh?)[:(](\d+)/gm;

/** `text` in pieces, of which those that name a line are what `link(file, line, number)` makes of them. */
export function linked(text, link) {
    const pieces = [];
    let [end, file] = [0, ''];
    for (const { 0: all, 1: shown, 2: named = file, 3: number = shown, index } of text.matchAll(LINE)) {
        file = named;
        const start = index + all.length - number.length;
        pieces.push(text.slice(end, start), link(file, Number(number), number));
        end = start + number.length;
    }
    return [...pieces, text.slice(end)];
}

/** The places that diagnostics name, both sides of a race among them: { file, line, words, sentence, help, others }, where `others` are the
    other places of the same diagnostic. */
export const sites = diagnostics => diagnostics.flatMap(({ kind, file, line, message, help = '', related = [] }) => {
    const places = [{ file, line, words: kind }, ...related.map(other => ({ file: other.file, line: other.line, words: other.message }))];
    const others = place => places.filter(other => other.line && (other.file !== place.file || other.line !== place.line));
    return places.map(place => ({ ...place, sentence: message, help, others: others(place) }));
});
