// The lines in which two texts differ.

/** How long the longest common subsequence of each two ends is. */
function lengths(one, other) {
    const table = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
    for (let i = one.length - 1; i >= 0; i--) {
        for (let j = other.length - 1; j >= 0; j--) {
            table[i][j] = one[i] === other[j] ? table[i + 1][j + 1] + 1
                : Math.max(table[i + 1][j], table[i][j + 1]);
        }
    }
    return table;
}

/** Entries of the table that a page has time and room for. */
const MAX_TABLE = 16_000_000;

/** [sign, line] of both, in order: ' ' in both, '-' in the first alone, '+' in the second alone. Of texts
    that are too long to be compared, all lines behind their common beginning. */
function merged(one, other) {
    if (one.length * other.length > MAX_TABLE) {
        let same = 0;
        while (same < one.length && one[same] === other[same]) {
            same++;
        }
        const sign = (mark, lines) => lines.map(line => [mark, line]);
        return [...sign(' ', one.slice(0, same)), ...sign('-', one.slice(same)),
            ...sign('+', other.slice(same))];
    }
    const table = lengths(one, other);
    const all = [];
    for (let [i, j] = [0, 0]; i < one.length || j < other.length; ) {
        if (one[i] === other[j]) {
            all.push([' ', one[i++]]);
            j++;
        } else if (j === other.length || (i < one.length && table[i + 1][j] >= table[i][j + 1])) {
            all.push(['-', one[i++]]);
        } else {
            all.push(['+', other[j++]]);
        }
    }
    return all;
}

const CONTEXT = 2;

/** [sign, line] of the lines that differ and of those around them; ['…', ''] where lines are left out. */
export function diff(one, other) {
    const all = merged(one.split('\n'), other.split('\n'));
    const isNear = all.map((_, place) => all.slice(Math.max(0, place - CONTEXT), place + CONTEXT + 1)
        .some(([sign]) => sign !== ' '));
    return all.flatMap((line, place) => (isNear[place] ? [line] : isNear[place - 1] ? [['…', '']] : []));
}
