// The lines in which two texts differ.

/** How long the longest common subsequence of each two ends is. */
function lengths(one, other) {
    const table = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
    for (let i = one.length - 1; i >= 0; i--) {
        for (let j = other.length - 1; j >= 0; j--) {
            table[i][j] = one[i] === other[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
        }
    }
    return table;
}

/** [sign, line] of both, in order: ' ' in both, '-' in the first alone, '+' in the second alone. */
function merged(one, other) {
    let [start, end] = [0, 0];
    while (start < Math.min(one.length, other.length) && one[start] === other[start]) {
        start++;
    }
    while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) {
        end++;
    }
    const both = lines => lines.map(line => [' ', line]);
    const [old, own] = [one, other].map(lines => lines.slice(start, lines.length - end));
    const table = lengths(old, own);
    const middle = [];
    for (let [i, j] = [0, 0]; i < old.length || j < own.length; ) {
        if (i < old.length && j < own.length && old[i] === own[j]) {
            middle.push([' ', old[i++]]);
            j++;
        } else if (j === own.length || (i < old.length && table[i + 1][j] >= table[i][j + 1])) {
            middle.push(['-', old[i++]]);
        } else {
            middle.push(['+', own[j++]]);
        }
    }
    return [...both(one.slice(0, start)), ...middle, ...both(one.slice(one.length - end))];
}

const CONTEXT = 2;

/** [sign, line] of the lines that differ and of those around them; ['…', ''] where lines are left out. */
export function diff(one, other) {
    const all = merged(one.split('\n'), other.split('\n'));
    const isNear = all.map((_, place) => all.slice(Math.max(0, place - CONTEXT), place + CONTEXT + 1).some(([sign]) => sign !== ' '));
    return all.flatMap((line, place) => (isNear[place] ? [line] : isNear[place - 1] ? [['…', '']] : []));
}
