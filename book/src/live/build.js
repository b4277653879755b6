// The build of an edited source: compiled in the page, once for each text, one after the other.

/** What came of a source, by path and text. */
const known = new Map();
let before = Promise.resolve();
/** The compiler's module, which is fetched when there is something to compile. */
let compiler;

const NOT_FETCHED = 'The compiler could not be fetched. Is the server still there?';

/** Kernels for compute capability 9.0 and newer alone, which are compiled once more; clang knows no clusters. */
const hasNewer = source => source.includes('__CUDA_ARCH__ >= 900') && !source.includes('__cluster_dims__');

async function compiled({ path, source }, progress) {
    try {
        compiler ??= await import('./compiler.js');
    } catch {
        return { sentence: NOT_FETCHED };
    }
    const made = await compiler.compile({ path, source }, progress);
    if (made.sentence || made.status !== 0 || !hasNewer(source)) {
        return made;
    }
    const newer = await compiler.compile({ path, source, capability: '90' }, progress);
    return newer.sentence || newer.status !== 0 ? newer : { ...made, newer: newer.ptx };
}

/** What the compiler makes of a file's source: `{ ptx, newer, said, compiler }`, without PTX if it refuses; or `{ sentence }`.
    `progress` is told a fraction and words. */
export function build(file, progress) {
    const { path, source } = file;
    const name = `${path}\n${source}`;
    if (known.has(name)) {
        return known.get(name);
    }
    const made = before.then(() => compiled({ path, source }, progress)).catch(() => ({ sentence: NOT_FETCHED }));
    known.set(name, made);
    before = made;
    made.then(({ sentence }) => sentence && known.delete(name)); // stopped, or not fetched: another time, perhaps
    return made;
}

/** Ends what is being compiled. */
export const stop = () => compiler?.stop();

const MESSAGE = /^(.+?)\((\d+)\): (?:fatal )?(error|warning): (.*)$/;

/** The messages in what the compiler said: { file, line, kind, message }, as those of the simulator. */
export const messages = said => said.split('\n').flatMap(text => {
    const [, file, line, kind, message] = text.match(MESSAGE) ?? [];
    return file ? [{ file, line: Number(line), kind, message }] : [];
});
