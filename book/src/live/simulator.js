// The program of chapters, exercises and the reader's own kernels, in a worker for each run. What it needs is
// fetched once, so that the next one starts without the network. One run at a time.

import { Sentence, answer, file, once, program, worker } from './fetched.js';

const NO_MEMORY = 'The run was stopped: most likely it needs more memory than the browser gives a page. ' +
    'Try a smaller n, or smaller buffers.';

/** Why a run did not come to its end. */
export class Trapped extends Sentence {}

/** The next run's worker. */
const ahead = once(() => worker('vendor/wasi_shim.js', 'program.js', 'worker.js'));
let before = Promise.resolve();

const started = () => Promise.all([program(), ahead()]);

/** The build of a chapter's kernels, as they stand or with an edit; nothing, if the chapter has none.
    @param {{ stem: string, whatIf?: string, simulated?: boolean }} request */
const build = ({ stem, whatIf, simulated = true }) => (simulated
    ? file(whatIf ? `${stem}.${whatIf}.json` : `${stem}.json`) : '');

/** The source of a chapter's kernels, as it is printed. */
export const printed = async stem => JSON.parse(await build({ stem })).source;

/** Fetches everything that a run needs, and starts the worker. */
export const warm = request => Promise.all([started(), build(request)]);

function broken({ stderr }) {
    const [panic] = stderr.split('\nnote:');
    return new Trapped(panic.includes('panicked at')
        ? `The simulator crashed, which is a bug in it: ${panic.trim()}` : NO_MEMORY);
}

async function inTurn(args, fetch, signal, tell) {
    signal.throwIfAborted();
    const [[module, own], files] = await Promise.all([started(), fetch()]);
    signal.throwIfAborted();
    ahead.forget();
    tell('Running', 0);
    try {
        const ran = await answer(own, { module, args, files }, signal,
            { progress: fraction => tell('Running', fraction) });
        return ran.trapped === undefined ? ran : Promise.reject(broken(ran));
    } finally {
        own.terminate(); // and with it its memory
    }
}

/** Runs the program with `args` and the files that `fetch` gives, after the runs before it: `{ status,
    stdout, stderr, files }`, of files the bytes by path. Rejects with a Sentence if it breaks off, and with
    the signal's reason. */
export function start(args, fetch, signal, tell) {
    const turn = before.then(() => inTurn(args, fetch, signal, tell));
    before = turn.catch(() => {});
    return turn;
}

/** The text of a file that a run has left. */
export const text = ({ files }, name) => (files.has(name) ? new TextDecoder().decode(files.get(name))
    : undefined);

/** What a run leaves for the page, with how it ended; nothing, if it was refused. */
export function shown(ran) {
    const left = text(ran, 'shown.json');
    return left && { ...JSON.parse(left), ...ran };
}

/** Why it was refused. */
export const refusal = ({ stderr }) => stderr.replace(/^error: /, '').trim();

const asSentence = words => `${words[0].toUpperCase()}${words.slice(1)}${words.endsWith('.') ? '' : '.'}`;

const words = ({ stem, options }) => [stem, ...options.join(' ').split(' ')];

const given = async ({ stem, simulated, whatIf, edited, show }) =>
    ({ 'build.json': await build({ stem, simulated, whatIf }), 'show.json': JSON.stringify(show),
        ...(edited && { 'edited.json': JSON.stringify(edited) }) });

/** The arguments and the files of a run of a chapter, of which `run` has the words. */
export const asked = async request => ({ args: words(request), files: await given(request) });

/** Runs the chapter `stem` with its command line's `options`, edited as `whatIf` says or with the build
    `edited`, to `show` what book/page can: `{ answer }`, or `{ error, said }`, a sentence that the program
    says, and all that it says. */
export async function run(request, signal, tell) {
    const ran = await start(words(request), () => given(request), signal, tell);
    const answer = shown(ran);
    return answer ? { answer } : { error: asSentence(refusal(ran).split('\n')[0]), said: ran.stderr };
}
