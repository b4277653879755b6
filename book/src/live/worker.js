// A run of the chapters' program (crates/page), apart from the page so that this goes on scrolling; see simulator.js.
'use strict';

/** How the program says on stderr how far it is. */
const PERCENT = /\x1b\]9;4;1;(\d+)\x07/g;

onmessage = ({ data: { module, args, files } }) => {
    const tell = (_, percent) => {
        postMessage({ progress: percent / 100 });
        return '';
    };
    try {
        const started = performance.now();
        const ran = instantiate(module)(args, { files, listen: text => text.replace(PERCENT, tell) });
        const seconds = (performance.now() - started) / 1000;
        const shown = ran.files.get('shown.json');
        const saved = [...ran.files].filter(([name]) => name !== 'shown.json' && !(name in files)).map(([name, { data }]) => ({ name, data }));
        const { status, stdout, stderr } = ran;
        postMessage({ status, stdout, stderr, saved, seconds, shown: shown && JSON.parse(new TextDecoder().decode(shown.data)) });
    } catch ({ stderr = '' }) {
        postMessage({ trapped: stderr });
    }
};
