// A WASI program in a worker, on the vendored shim: arguments, streams, and the files of one directory, `/`.
'use strict';

/* exported instantiate */ // which other scripts of the worker call

/** An instance of `module`, ready to run, once. The function returns `{ status, files, stdout, stderr }`, of
    files those in directories too; what the program writes to stderr goes through `listen`, which may use its
    files meanwhile. A program that traps throws, with what it has said so far as `stderr`.
    @typedef {{ read(name: string): string, write(name: string, text: string): void }} Disk
    @typedef {(text: string, disk: Disk) => string} Listen
    @param {WebAssembly.Module} module
    @returns {(args: string[], given?: { stdin?: Uint8Array, files?: Record<string, string>,
        listen?: Listen }) => any} */
function instantiate(module) {
    const { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } = wasiShim;
    const input = new File([]);
    const contents = new Map();
    const texts = { stdout: '', stderr: '' };
    const disk = {
        read: name => new TextDecoder().decode(contents.get(name).data),
        write: (name, text) => contents.set(name, new File(new TextEncoder().encode(text))),
    };
    /** @type {Listen} */
    let hear = text => text;
    const stream = name => {
        const decoder = new TextDecoder();
        return new ConsoleStdout(bytes => {
            const text = decoder.decode(bytes, { stream: true });
            texts[name] += name === 'stderr' ? hear(text, disk) : text;
        });
    };
    const all = (folder, path) =>
        [...folder].flatMap(([name, entry]) => (entry.contents ? all(entry.contents, `${path}${name}/`)
            : [[path + name, entry]]));
    const wasi = new WASI([], [], [new OpenFile(input), stream('stdout'), stream('stderr'),
        new PreopenDirectory('/', contents)], { debug: false });
    // An address above 2 GB comes as a negative number, which the shim does not expect.
    const unsigned = value => (typeof value === 'number' ? value >>> 0 : value);
    const calls = Object.entries(wasi.wasiImport)
        .map(([name, call]) => [name, (...values) => call(...values.map(unsigned))]);
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: Object.fromEntries(calls) });
    return (args, { stdin, files = {}, listen = hear } = {}) => {
        hear = listen;
        wasi.args = args;
        input.data = stdin ?? input.data;
        Object.entries(files).forEach(([name, text]) => disk.write(name, text));
        try {
            const status = wasi.start(instance);
            return { status, ...texts, files: new Map(all(contents, '')) };
        } catch (error) {
            throw Object.assign(error, { stderr: texts.stderr });
        }
    };
}
