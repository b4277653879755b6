// Has the page's compiler (book/src/live/compiler.js) answer requests, as a page has it, in Node:
//
//     node compiler.mjs LIVE REQUESTS ANSWERS
//
// LIVE is a copy of book/src/live. REQUESTS is a JSON list; ANSWERS becomes the list of what `compile` gives
// for each, with what it has told on the way. A request with `stop_after`, in seconds, is stopped then. One
// that is `endless` has a page's limits; the others may take three times as long, since several compilers run
// beside each other.

import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { resolveObjectURL } from 'node:buffer';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import { Worker as Thread } from 'node:worker_threads';

const [live, requests, answers] = process.argv.slice(2);

let patience = 1;
const { setTimeout: after } = globalThis;
globalThis.setTimeout = (then, wait, ...given) => after(then, patience * wait, ...given);

// What a browser has and Node has not.
globalThis.fetch = async url => {
    const type = url.pathname.endsWith('.wasm') ? 'application/wasm' : 'text/plain';
    return new Response(await readFile(fileURLToPath(new URL(url.pathname, url))),
        { headers: { 'Content-Type': type } });
};
globalThis.Worker = class {
    constructor(url) {
        const shim = 'const { parentPort } = require("node:worker_threads");' +
            'globalThis.postMessage = (data, list) => parentPort.postMessage(data, list);' +
            'globalThis.onmessage = undefined;' +
            'parentPort.on("message", data => onmessage({ data }));';
        this.thread = resolveObjectURL(url).text().then(text => {
            const thread = new Thread(shim + text.replaceAll("'use strict';", ''),
                { eval: true, resourceLimits: { stackSizeMb: 1 } });
            thread.on('message', data => this.onmessage({ data }));
            thread.on('error', error => this.onerror(error));
            return thread;
        });
    }
    async postMessage(data, list) {
        (await this.thread).postMessage(data, list);
    }
    async terminate() {
        (await this.thread).terminate();
    }
};

// What a page's scripts have, which take the list of files from the preprocessor.
const files = {};
for (const entry of await readdir(live, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) {
        const path = join(entry.parentPath ?? entry.path, entry.name);
        const content = await readFile(path);
        files[relative(live, path)] = { bytes: content.length,
            sha256: createHash('sha256').update(content).digest('hex') };
    }
}
globalThis.window = globalThis;
globalThis.document = { currentScript: { src: pathToFileURL(resolve(live, 'loads.js')) },
    querySelector: () => null };
const loads = new URL('../../../theme/loads.js', import.meta.url);
runInThisContext(await readFile(loads, 'utf8'), { filename: fileURLToPath(loads) });
Object.assign(globalThis.workbook, { listed: async () => files, released: async () => {} });

await writeFile(join(live, 'package.json'), '{ "type": "module" }');
const { compile } = await import(pathToFileURL(resolve(live, 'compiler.js')));
const made = [];
for (const { stop_after, endless, ...request } of JSON.parse(await readFile(requests, 'utf8'))) {
    patience = endless ? 1 : 3;
    const stopped = new AbortController();
    if (stop_after) {
        after(() => stopped.abort(new Error('Stopped.')), 1000 * stop_after);
    }
    const told = [];
    const began = performance.now();
    const answer = await compile(request, stopped.signal, words => told.push(words))
        .catch(({ message }) => ({ sentence: message }));
    made.push({ ...answer, told, wall: (performance.now() - began) / 1000 });
}
await writeFile(answers, JSON.stringify(made));
process.exit();
