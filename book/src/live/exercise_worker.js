// A run of the exercises' program, apart from the page so that this goes on scrolling; see exercise_judge.js.
'use strict';

/** What the program may have written: what the page reads, progress, and the reader's files. */
const IS_WRITTEN = /^(?:wanted|shown|\.exercises)\.json$|^kernels\/exercises\/[^/]+$/;

onmessage = ({ data: { module, args, files } }) => {
    try {
        const ran = instantiate(module)(args, { files });
        const decoder = new TextDecoder();
        const texts = [...ran.files].filter(([path]) => IS_WRITTEN.test(path)).map(([path, { data }]) => [path, decoder.decode(data)]);
        postMessage({ status: ran.status, stdout: ran.stdout, stderr: ran.stderr, written: Object.fromEntries(texts) });
    } catch ({ stderr = '' }) {
        postMessage({ trapped: stderr });
    }
};
