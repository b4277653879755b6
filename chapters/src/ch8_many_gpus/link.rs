//! Two GPUs and the link between them: the blocks of both add to one word in the memory of the first.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::view::{Drawing, Film, Frame, Track, arrow};

const GPUS: usize = 2;
/// Of each GPU.
const BLOCKS: usize = 3;
/// Elements of a block. The array is 1, 2, 3, …
const ELEMENTS: usize = 8;
/// GPU and block, in the order in which they add. The last is one that reaches the word through the link.
const ORDER: [(usize, usize); GPUS * BLOCKS] = [(0, 1), (1, 0), (0, 0), (1, 2), (0, 2), (1, 1)];

/// Where the GPUs' boxes begin, and their size.
const LEFTS: [f64; GPUS] = [6.0, 206.0];
const SIZE: (f64, f64) = (148.0, 122.0);
const BLOCK: (f64, f64) = (40.0, 26.0);
const BLOCKS_TOP: f64 = 30.0;
const WORD: (f64, f64) = (14.0, 88.0);
const WORD_SIZE: (f64, f64) = (132.0, 26.0);
const HOST: (f64, f64) = (90.0, 156.0);
const HOST_SIZE: (f64, f64) = (180.0, 28.0);
const LINK_Y: f64 = 101.0;

/// What the block adds up.
fn sum_of((gpu, block): (usize, usize)) -> usize {
    let first = ELEMENTS * (BLOCKS * gpu + block);
    (first + 1..=first + ELEMENTS).sum()
}

fn key((gpu, block): (usize, usize)) -> String {
    format!("b{gpu}-{block}")
}

/// What the rules give: one order of six blocks.
pub fn figure(_: &Sources) -> Result<Film> {
    let words = "Two GPUs, joined by NVLink. The blocks of both add their sums to one word in the memory of \
                 GPU 0, which also counts them. The block that completes the count stores the total in the \
                 memory of the host.";
    let mut drawing = Drawing::new(360.0, 190.0, words);
    for (gpu, left) in LEFTS.into_iter().enumerate() {
        drawing.rect("element", (left, 6.0), SIZE);
        drawing.text("start strong", (left + 8.0, 23.0), &format!("GPU {gpu}"));
        for block in 0..BLOCKS {
            let x = left + 8.0 + 46.0 * block as f64;
            let at = (gpu, block);
            drawing.keyed_rect(&key(at), "works", (x, BLOCKS_TOP), BLOCK);
            let middle = (x + BLOCK.0 / 2.0, BLOCKS_TOP + 18.0);
            drawing.text("", middle, &sum_of(at).to_string());
            drawing.keyed_path(&format!("to {}", key(at)), "off", &path_of(gpu, middle.0));
        }
    }
    drawing.text("", (180.0, LINK_Y - 9.0), "NVLink");
    drawing.keyed_path("link", "element", &format!("M154 {LINK_Y}H206"));
    drawing.keyed_rect("word", "element", WORD, WORD_SIZE);
    drawing.keyed_text("value", "", (WORD.0 + WORD_SIZE.0 / 2.0, WORD.1 + 18.0), "");
    drawing.keyed_path("told", "off", &arrow((LEFTS[1] + 74.0, 128.0), (230.0, HOST.1)));
    drawing.keyed_rect("host", "element", HOST, HOST_SIZE);
    drawing.keyed_text("total", "", (180.0, HOST.1 + 19.0), "");
    let all = ORDER.len();
    let mut frames: Vec<Frame> = (0..=all).map(added).collect();
    frames.push(told());
    let caption = "What the rules give, not a recorded run. Each box of a GPU is a block with its sum.";
    Ok(Film::new("link", drawing, vec![Track::new("intoPeer", frames)], caption))
}

/// From a block to the word: within GPU 0, or through the link.
fn path_of(gpu: usize, x: f64) -> String {
    let below = BLOCKS_TOP + BLOCK.1;
    if gpu == 0 {
        return arrow((x, below), (x, WORD.1));
    }
    format!("M{x} {below}V{LINK_Y}M{x} {LINK_Y}H206")
        + &arrow((206.0, LINK_Y), (WORD.0 + WORD_SIZE.0, LINK_Y))
}

/// After the first `count` blocks have added.
fn added(count: usize) -> Frame {
    let mut frame = Frame::default();
    let sum: usize = ORDER[..count].iter().copied().map(sum_of).sum();
    for at in &ORDER[..count] {
        frame.class(&key(*at), "ended");
    }
    frame.words("value", format!("sum {sum}, count {count}"));
    frame.words("total", "host: looks, and waits");
    let Some(&last @ (gpu, block)) = ORDER[..count].last() else {
        frame.say = "Each block has added up its elements. The word in the memory of GPU 0 is 0.".to_string();
        return frame;
    };
    frame.class(&format!("to {}", key(last)), "write");
    frame.class("word", "written");
    let way = if gpu == 0 { "in its own memory" } else { "through NVLink" };
    frame.say = format!("Block {block} of GPU {gpu} adds {} and counts itself, {way}.", sum_of(last));
    if gpu == 1 {
        frame.class("link", "write");
    }
    if count == ORDER.len() {
        frame.say = format!(
            "Block {block} of GPU {gpu} adds {} through NVLink. The count comes back complete, {count}: it \
             has the total.",
            sum_of(last)
        );
    }
    frame
}

/// The last block stores the total.
fn told() -> Frame {
    let mut frame = added(ORDER.len());
    let total: usize = ORDER.into_iter().map(sum_of).sum();
    let last = ORDER[ORDER.len() - 1];
    frame.class(&format!("to {}", key(last)), "off");
    frame.class("link", "element");
    frame.class("word", "element");
    frame.class(&key(last), "works");
    frame.class("told", "write");
    frame.class("host", "written");
    // The kernel leaves the word as the next launch needs it.
    frame.words("value", "sum 0, count 0");
    frame.words("total", format!("host: total {total}"));
    frame.say = format!("It sets the word back to 0, and stores {total} where the host looks.");
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_adds_once_and_the_host_gets_the_sum_of_all_elements() {
        let mut blocks = ORDER.to_vec();
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), GPUS * BLOCKS);
        let elements = GPUS * BLOCKS * ELEMENTS;
        let total = elements * (elements + 1) / 2;
        assert!(added(6).looks["value"].words.as_ref().unwrap().contains(&format!("sum {total}, count 6")));
        assert!(told().say.contains(&format!("stores {total} ")), "{}", told().say);
    }
}
