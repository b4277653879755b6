// The simulator, apart from the page so that this goes on scrolling: takes a module, then runs; see simulator.js.
'use strict';

let wasm;
let panic = '';
let told = 0;

// An address above 2 GB comes as a negative number.
const text = (address, length) => new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, address >>> 0, length));

const env = {
    progress(done, of) {
        const now = performance.now();
        if (now - told > 50) {
            told = now;
            postMessage({ progress: done / of });
        }
    },
    panicked(address, length) {
        panic = text(address, length);
    },
};

/** JSON in, JSON out. */
function call(name, input) {
    const bytes = new TextEncoder().encode(input);
    const address = wasm.alloc(bytes.length) >>> 0;
    new Uint8Array(wasm.memory.buffer, address, bytes.length).set(bytes);
    const result = wasm[name](address, bytes.length) >>> 0;
    wasm.free(address, bytes.length);
    const length = new DataView(wasm.memory.buffer).getUint32(result, true);
    const answer = JSON.parse(text(result + 4, length));
    wasm.release(result);
    return answer;
}

function run({ build, request }) {
    const { error } = build ? call('load', build) : {};
    return error ? { status: 2, error } : call('run', JSON.stringify(request));
}

onmessage = ({ data }) => {
    if (data.module) {
        wasm = new WebAssembly.Instance(data.module, { env }).exports;
        return;
    }
    try {
        const started = performance.now();
        const answer = run(data);
        postMessage({ answer, seconds: (performance.now() - started) / 1000 });
    } catch (error) {
        postMessage({ trapped: panic, error: String(error) });
    }
};
