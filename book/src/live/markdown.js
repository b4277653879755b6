// A small part of Markdown, for cells that are text: headings, paragraphs, lists, code, emphasis and links.
// What the reader writes becomes text of elements, never HTML.

import { element } from './html.js';

/** `code`, **strong**, *emphasis*, [words](address). No star of a product is one of these. */
const CODE = /`([^`]+)`/;
const STRONG = /\*\*(\S(?:.*?\S)?)\*\*/;
const EMPHASIS = /(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])/;
const LINK = /\[([^\]]+)\]\(([^\s()]+)\)/;
const INLINE = new RegExp([CODE, STRONG, EMPHASIS, LINK].map(({ source }) => source).join('|'), 'g');

/** A link to a page of the web or of the book; of any other address the words as they stand. */
function link(words, address, written) {
    const isPage = URL.canParse(address, location.href)
        && /^https?:$/.test(new URL(address, location.href).protocol);
    return isPage ? element('a', { href: address, rel: 'noopener', textContent: words }) : written;
}

/** The pieces of a line. */
function inline(text) {
    const pieces = [];
    let end = 0;
    for (const { 0: written, 1: code, 2: strong, 3: emphasis, 4: words, 5: address,
        index } of text.matchAll(INLINE)) {
        pieces.push(text.slice(end, index));
        end = index + written.length;
        if (code) {
            pieces.push(element('code', { textContent: code }));
        } else if (strong) {
            pieces.push(element('strong', {}, ...inline(strong)));
        } else if (emphasis) {
            pieces.push(element('em', {}, ...inline(emphasis)));
        } else {
            pieces.push(link(words, address, written));
        }
    }
    return [...pieces, text.slice(end)].filter(piece => piece !== '');
}

const HEADING = /^(#{1,4}) +(.+)$/;
const ITEM = /^([-*]|\d+\.) +(.+)$/;
const FENCE = /^```/;
/** The page has the headings above. */
const TOP = 3;

const isOrdered = line => /^\d/.test(line);

/** The lines of a block that begins with `first`: their number, and what they are. */
function block(lines, first) {
    const line = lines[first];
    const [, marks, title] = line.match(HEADING) ?? [];
    if (marks) {
        return { count: 1, made: element(/** @type {'h2'} */ (`h${TOP - 1 + marks.length}`), {},
            ...inline(title)) };
    }
    const until = ends => {
        const end = lines.findIndex((line, place) => place > first && ends(line));
        return end < 0 ? lines.length : end;
    };
    if (FENCE.test(line)) {
        const end = until(line => FENCE.test(line));
        const code = element('code', { className: 'hljs',
            textContent: lines.slice(first + 1, end).join('\n') });
        window.workbook.watch(code);
        return { count: end - first + 1, made: element('pre', {}, code) };
    }
    const isOther = line => line.trim() === '' || HEADING.test(line) || FENCE.test(line);
    if (ITEM.test(line)) {
        const end = until(line => isOther(line)
            || (ITEM.test(line) && isOrdered(line) !== isOrdered(lines[first])));
        // A line that begins no item goes on with the one before.
        const items = lines.slice(first, end).join('\n').split(/\n(?=(?:[-*]|\d+\.) )/);
        const made = items.map(item => element('li', {}, ...inline(item.match(/^\S+ +([^]+)$/)[1])));
        return { count: end - first, made: element(isOrdered(line) ? 'ol' : 'ul', {}, ...made) };
    }
    const end = until(line => isOther(line) || ITEM.test(line));
    return { count: end - first, made: element('p', {}, ...inline(lines.slice(first, end).join('\n'))) };
}

/** The elements of a text. */
export function markdown(text) {
    const lines = text.split('\n');
    const all = [];
    for (let place = 0; place < lines.length;) {
        if (lines[place].trim() === '') {
            place += 1;
            continue;
        }
        const { count, made } = block(lines, place);
        all.push(made);
        place += count;
    }
    return all;
}
