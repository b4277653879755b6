//! Chapter 8.3: the array lies in the host's memory, and comes to the GPUs piece by piece.

mod pieces;
mod streams;

use anyhow::Result;
use pieces::{copied, copied_and_summed, pageable, streamed};
use workbook::chapter::{Case, Chapter, Extras, Outcome, Shape, Variant};
use workbook::device::DeviceKind;
use workbook::figure::Figure;

pub const CHAPTER: Chapter = Chapter {
    // On the simulator one piece: a reader of the page waits for it. From 2^19 on there are more.
    default_n: |device| if matches!(device, DeviceKind::Gpu) { 1 << 28 } else { 1 << 18 },
    many_gpus: true,
    extras: Extras {
        figures: Extras::in_the_book(&[Figure::of_traces("streams", streams::figure)]),
        ..Extras::NONE
    },
    ..Chapter::new(
        "ch8_streamed",
        "An array in the host's memory: copies and kernels at the same time",
        &[
            story("plainCopy", |case| copied(case, &case.devices()))
                .does("What the copies cost alone: each GPU gets its share, and nothing is added."),
            story("fromPageable", |case| pageable(case, &case.devices()))
                .does("Copied from memory as a program has it, then added."),
            story("copyThenSum", |case| copied_and_summed(case, &case.devices()))
                .does("Copied from pinned memory, then added."),
            story("oneStream", |case| streamed(case, &case.devices(), 1))
                .does("In pieces, each added before the next is copied."),
            story("twoStreams", |case| streamed(case, &case.devices(), 2))
                .does("In pieces, one added while the next is copied."),
            Variant { story: false, ..story("plainCopyOneGpu", |case| copied(case, &[case.device])) }
                .does("The copy alone, of all of it to one GPU."),
            Variant { story: false, ..story("twoStreamsOneGpu", |case| streamed(case, &[case.device], 2)) }
                .does("In pieces, all of them to one GPU."),
        ],
    )
};

const fn story(name: &'static str, host: fn(&Case) -> Result<Outcome>) -> Variant {
    Variant { symbol: "reducePiece", shape, also: larger, ..Variant::new(name, host) }
}

/// That of the first piece.
fn shape(n: u64, _: Shape, _: u32) -> Shape {
    Shape { block: pieces::BLOCK, grid: pieces::blocks(pieces::piece(n as usize)) }
}

fn larger(kind: DeviceKind) -> &'static [(u64, u32)] {
    if kind == DeviceKind::Gpu { &[(1 << 30, 512)] } else { &[] }
}
