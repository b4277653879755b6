// What a cell's controls do: run, stop, change, reset, edit. theme/live.js fetches this when somebody first
// reaches for a cell.

import { asCard, follow, part, touched } from './bar.js';
import { say, stop } from './card.js';
import { looks } from './card_result.js';
import * as controls from './controls.js';
import { edited as withEdits } from './cures.js';
import * as edits from './edits.js';
import { stylesheet } from './html.js';
import * as listings from './listings.js';
import { forget, recall, run, runOrStop } from './run.js';
import * as simulator from './simulator.js';
import { whyNotKept } from './store.js';
import * as workbench from './workbench.js';

export { compareOwnRuns } from './result.js';
export { run, runAll, runOrStop } from './run.js';

/** Those of cells. */
const ownLooks = () => stylesheet('live.css');

export const warm = ({ live }) => simulator.warm(live);

export function change(cell, cells) {
    follow(cell, cells);
    listings.showWhatIf(cell, controls.chosenWhatIf(cell));
}

export function reset(cell, cells) {
    stop(cell);
    Object.entries(cell.recorded).forEach(([name, value]) => (cell.form.elements[name].value = value));
    touched.delete(cell);
    forget(cell);
    listings.forget(cell);
    follow(cell, cells);
    say(cell, '');
    part(cell, '.card-run').focus();
}

/** The edit of a file has changed: the cells that run it say so. */
const showEdits = (file, cells) => cells.filter(({ live }) => live.file === file.path)
    .forEach(cell => follow(cell, cells));

/** Opens the editor in the listing with this caption; a what-if that is shown there becomes the reader's. */
export async function edit(_, cells, caption) {
    const listing = listings.of(caption);
    const cell = workbench.cellOf(listing, cells);
    const file = await edits.open(cell);
    for (const other of cells.filter(({ live }) => live.file === file.path)) {
        const whatIf = controls.chosenWhatIf(other);
        if (whatIf && file.source === file.printed) {
            const lines = file.printed.split('\n');
            whatIf.lines.forEach(({ line, text }) => (lines[line - 1] = text));
            edits.write(file, lines.join('\n'));
        }
        if (whatIf) {
            other.form.elements['what-if'].value = '';
            listings.forget(other);
            workbench.showSource(file);
        }
    }
    const press = () => runOrStop(cell, cells);
    const runAndGoOn = () => {
        (cells[cells.indexOf(cell) + 1] ?? cell).element.focus();
        press();
    };
    await workbench.open(listing, file, cell, { press, runAndGoOn, changed: () => showEdits(file, cells) });
    cells.forEach(cell => follow(cell, cells));
}

/** Puts edits of the source that a cell runs into the editor of the listing that has the first of their
    lines. */
async function take(cell, cells, changes) {
    const file = edits.edited(cell);
    const [{ line }] = changes;
    const isIn = listing => listing.lines.includes(line) || listing.lines.includes(line - 1);
    const all = listings.ofFile(file.path);
    const listing = all.find(listing => listing.code.editor && isIn(listing)) ?? all.find(isIn)
        ?? workbench.listingOf(cell, cells);
    await edit(cell, cells, listing.caption);
    edits.write(file, withEdits(file.source, changes));
    workbench.showSource(file);
    showEdits(file, cells);
    listing.code.editor.reveal(line);
}

/** Whether a link to the card with this id is a cell's; of another card on the page it is left to that. */
const isOfCell = id => /^cell-\d+$/.test(id);

/** Brings back the reader's edits, and shows the code of a link; running it is left to the reader. */
export async function begin(_, cells) {
    await Promise.all([looks(), ownLooks()]);
    for (const cell of cells) {
        asCard(cell);
        cell.take = changes => take(cell, cells, changes);
    }
    for (const cell of cells.filter(edits.hasDraft)) {
        const file = await edits.open(cell);
        workbench.showSource(file);
        showEdits(file, cells);
    }
    cells.filter(recall).forEach(cell => follow(cell, cells));
    const id = edits.linked();
    if (!isOfCell(id)) {
        return;
    }
    await Promise.all(cells.map(edits.open)); // what cannot be fetched leaves the link in the address
    const shared = await edits.fromLink(id);
    if (!shared) {
        return;
    }
    const cell = cells.find(({ element }) => element.id === id) ?? cells[0];
    if (shared.file !== cell.live.file) {
        say(cell, 'The code in this link cannot be read. Was it cut off, or is it of another page?');
        return;
    }
    const file = await edits.open(cell);
    try {
        edits.writeLink(file, shared.source);
    } catch (error) {
        say(cell, whyNotKept(error));
        return;
    }
    cells.forEach(stop); // what follows a run would run the link's code, and nobody has asked for that
    workbench.showSource(file);
    showEdits(file, cells);
    const listing = workbench.listingOf(cell, cells);
    window.workbook.reveal(listing.caption);
    await edit(cell, cells, listing.caption);
    listing.code.editor?.frame.scrollIntoView({ block: 'center' });
    say(cell, 'The code of a link. It runs when you press Run.');
}

/** What a shared address shows. */
export async function fromAddress(_, cells) {
    const shared = cells.filter(controls.fromAddress);
    shared.forEach(cell => window.workbook.reveal(cell.element));
    shared.forEach(cell => change(cell, cells));
    for (const cell of shared) {
        if (!recall(cell) && !edits.edited(cell)) { // which a link may do while another cell runs
            await run(cell, cells);
        }
    }
}
