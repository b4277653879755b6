// The build of an edited source: compiled in the page, once for each text.

/** What came of a source, by path and text. */
const known = new Map();
/** The compiler, which is fetched when there is something to compile. */
let compiler;

const NOT_FETCHED = 'The compiler could not be fetched. Is the server still there?';

/** What the compiler makes of a file's source: `{ ptx, newer, said, compiler }`, without PTX if it refuses; or `{ sentence }`.
    `progress` is told a fraction, where there is one, and words. */
export async function build({ path, source }, progress) {
    const name = `${path}\n${source}`;
    if (!known.has(name)) {
        try {
            compiler ??= await import('./compiler.js');
        } catch {
            return { sentence: NOT_FETCHED };
        }
        const made = await compiler.compile({ path, source }, progress);
        if (made.sentence) {
            return made; // stopped, or not fetched: another time, perhaps
        }
        known.set(name, made);
    }
    return known.get(name);
}

/** Ends what is being compiled. */
export const stop = () => compiler?.stop();

const MESSAGE = /^(.+?)\((\d+)\): (?:fatal )?(error|warning): (.*)$/;

/** The messages in what the compiler said: { file, line, kind, message }, as those of the simulator. */
export const messages = said => said.split('\n').flatMap(text => {
    const [, file, line, kind, message] = text.match(MESSAGE) ?? [];
    return file ? [{ file, line: Number(line), kind, message }] : [];
});
