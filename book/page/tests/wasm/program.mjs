// Runs a program of the page in Node, on what its worker runs it on:
//
//     node program.mjs WASM < {"args": […], "files": {…}}
//         > {"status": …, "stdout": …, "stderr": …, "files": {…}}
//
// A program that traps leaves `trapped` in place of a status.

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { runInThisContext } from 'node:vm';

const live = new URL('../../../../book/src/live/', import.meta.url);
for (const name of ['vendor/wasi_shim.js', 'vendor/fzstd.js', 'program.js']) {
    runInThisContext(await readFile(new URL(name, live), 'utf8'), { filename: name });
}
const { args, files } = JSON.parse(await text(process.stdin));
const [, , path] = process.argv;
const wasm = new Uint8Array(await readFile(path));
const module = await WebAssembly.compile(path.endsWith('.zst') ? fzstd.decompress(wasm) : wasm);
let ran;
try {
    const { status, stdout, stderr, files: left } = instantiate(module)(args, { files });
    const texts = [...left].filter(([, file]) => file.data)
        .map(([name, { data }]) => [name, new TextDecoder().decode(data)]);
    ran = { status, stdout, stderr, files: Object.fromEntries(texts) };
} catch (error) {
    ran = { trapped: String(error), stderr: error.stderr ?? '' };
}
process.stdout.write(JSON.stringify(ran));
