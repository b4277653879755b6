// A run of the chapters' program (crates/page), apart from the page so that this goes on scrolling; see simulator.js.
'use strict';

const { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } = wasiShim;

/** How the program says on stderr how far it is. */
const PERCENT = /\x1b\]9;4;1;(\d+)\x07/g;

onmessage = ({ data: { module, args, files } }) => {
    let stderr = '';
    const hear = bytes => {
        const tell = (_, percent) => {
            postMessage({ progress: percent / 100 });
            return '';
        };
        stderr += new TextDecoder().decode(bytes).replace(PERCENT, tell);
    };
    const contents = new Map(Object.entries(files).map(([name, text]) => [name, new File(new TextEncoder().encode(text))]));
    const root = new PreopenDirectory('/', contents);
    const wasi = new WASI(args, [], [new OpenFile(new File([])), new ConsoleStdout(() => {}), new ConsoleStdout(hear), root], { debug: false });
    // An address above 2 GB comes as a negative number, which the shim does not expect.
    const unsigned = value => (typeof value === 'number' ? value >>> 0 : value);
    const calls = Object.entries(wasi.wasiImport).map(([name, call]) => [name, (...values) => call(...values.map(unsigned))]);
    try {
        const started = performance.now();
        const program = new WebAssembly.Instance(module, { wasi_snapshot_preview1: Object.fromEntries(calls) });
        const status = wasi.start(program);
        const seconds = (performance.now() - started) / 1000;
        const shown = contents.get('shown.json');
        postMessage({ status, stderr, seconds, shown: shown && JSON.parse(new TextDecoder().decode(shown.data)) });
    } catch {
        postMessage({ trapped: stderr });
    }
};
