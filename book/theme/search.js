// The search of mdBook, for this book: what a page covers stands in no snippet; `syncthreads` finds
// `__syncthreads()`; and for one word the glossary comes first.

(() => {
    'use strict';

    if (!window.elasticlunr) {
        return;
    }

    // `text` without what lies between the marks of book/preprocessor/src/covered.rs, which may lie within
    // others.
    const shown = (text) => {
        let depth = 0;
        let kept = '';
        for (const part of text.split(/([\u2063\u2064])/)) {
            if (part === '\u2063') {
                depth += 1;
            } else if (part === '\u2064') {
                depth = Math.max(depth - 1, 0);
            } else if (depth === 0) {
                kept += part;
            }
        }
        return kept;
    };

    const load = window.elasticlunr.Index.load;
    window.elasticlunr.Index.load = (serialised) => {
        const index = load.call(window.elasticlunr.Index, serialised);
        const documents = index.documentStore.docs;
        for (const document of Object.values(documents)) {
            document.body = shown(document.body);
        }
        const search = index.search.bind(index);
        // The index has English words only. Others are looked for as they stand.
        const asItStands = (words) => Object.entries(documents)
            .filter(([, { title, body }]) => words.every((word) => `${title} ${body}`.toLowerCase()
                .includes(word)))
            .map(([ref, doc]) => ({ ref, doc, score: 1 }));
        index.search = (query, options) => {
            const words = query.toLowerCase().split(/\s+/).filter((word) => word !== '');
            const alike = words.filter((word) => /^[a-z]/.test(word)).map((word) => `__${word}`);
            const isEnglish = words.every((word) => /[\w]/.test(word));
            const results = isEnglish ? search([query, ...alike].join(' '), options) : asItStands(words);
            if (words.length !== 1) {
                return results;
            }
            // Of the glossary, what is called so, then what has the word; then all others in their order.
            const rank = ({ ref }) => {
                const isTerm = window.search.doc_urls[ref].startsWith('glossary.html');
                const { title, body } = documents[ref];
                if (!isTerm || title === 'Glossary') {
                    return 3;
                }
                const name = title.toLowerCase();
                return name === words[0] ? 0 : name.includes(words[0]) ? 1 : body.toLowerCase()
                    .includes(words[0]) ? 2 : 3;
            };
            return results
                .map((result, at) => ({ result, at, rank: rank(result) }))
                .sort((one, other) => one.rank - other.rank || one.at - other.at)
                .map(({ result }) => result);
        };
        return index;
    };
})();
