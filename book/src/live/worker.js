// A run of the page's program (book/page); see simulator.js.
'use strict';

/** How the program says on stderr how far it is. */
// eslint-disable-next-line no-control-regex -- control characters, which a terminal does not show
const PERCENT = /\x1b\]9;4;1;(\d+)\x07/g;

onmessage = ({ data: { module, args, files: given } }) => {
    const tell = (_, percent) => {
        postMessage({ progress: percent / 100 });
        return '';
    };
    try {
        const { status, stdout, stderr, files } =
            instantiate(module)(args, { files: given, listen: text => text.replace(PERCENT, tell) });
        const left = [...files].filter(([, file]) => file.data)
            .map(([name, { data }]) => /** @type {const} */ ([name, data]));
        postMessage({ status, stdout, stderr, files: new Map(left) });
    } catch (error) {
        postMessage({ trapped: String(error), stderr: error.stderr ?? '' });
    }
};
