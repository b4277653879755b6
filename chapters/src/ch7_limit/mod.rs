//! Chapter 7: how fast can a sum be? A ladder of kernels up to the speed of the memory.

mod chain;
mod charts;
pub mod choice;
mod compare;
#[allow(dead_code)] // the book reads more of it
pub mod comparison;
mod flight;
mod ladder;
pub mod libraries;
mod machine;
pub mod profile;
mod rung;
pub mod timing;
#[allow(dead_code)] // the bench uses a part of it
pub mod work;

use anyhow::Result;
use workbook::chapter::{Case, Chapter, Extras, Outcome, Shape, Sweep, Variant};
use workbook::reduction::operation::{Operation, SUM_F32, SUM_I64};
use workbook::reduction::operator::{Operator, SumF32, SumI32, SumI64, elements};

use chain::{Chain, Memory};
use choice::{choice, in_tiles};
use rung::Rung;

/// Each rung changes a little of the one before; the page says what.
const RUNGS: [Rung; 12] = [
    Rung::launched_again(
        Variant { least_block: 2, ..Variant::new("reduceSharedTree", reduce::<SumI32>) }
            .does("The tree of chapter 3 in shared memory: neighbouring threads, elements far apart."),
    ),
    Rung::launched_again(
        Variant { least_block: 2, ..Variant::new("reduceSequential", reduce::<SumI32>) }
            .does("The second half is added to the first: no bank conflicts."),
    ),
    // One thread for two elements.
    Rung::launched_again(
        Variant {
            shape: |n, shape, _| Shape::of_blocks(n.div_ceil(2), shape.block),
            ..Variant::new("reduceFirstAdd", reduce::<SumI32>)
        }
        .does("Each thread adds two elements before the tree begins."),
    ),
    Rung::launched_again(
        tiled("reduceInFlight").does("Each thread issues eight loads before the first addition."),
    ),
    Rung::launched_again(
        tiled("reduceShuffle").does("Warps add up through their registers; one barrier per block is left."),
    ),
    Rung::launched_again(tiled("reduceVector").does("As many bytes in flight, in loads of 16 bytes.")),
    Rung::in_one_launch(
        tiled("reduceSinglePass")
            .does("The last block to arrive adds up the partial sums in the same launch."),
    ),
    Rung::in_one_launch(
        Variant {
            shape: |n, _, multiprocessors| in_tiles(n, 8, 512, multiprocessors),
            ..Variant::new("reduceOneAtomic", reduce::<SumI32>)
        }
        .does("Each block adds its sum and itself to one word, by one atomic operation."),
    ),
    Rung::in_one_launch(
        Variant {
            shape: |n, _, multiprocessors| in_tiles(n, 16, 512, multiprocessors),
            ..Variant::new("reduceFourLoads", reduce::<SumI32>)
        }
        .does("Four loads of 16 bytes in flight in place of two, which pass L1."),
    ),
    Rung::chosen_by_size(
        Variant {
            shape: |n, _, _| choice(&Operation::SUM, n).shape,
            ..Variant::new("reduceLimit", reduce::<SumI32>)
        }
        .does("Blocks, loads and the way to finish are chosen by size."),
    ),
    Rung::chosen_by_size(Variant {
        shape: |n, _, _| choice(&SUM_F32, n).shape,
        ..other_type("reduceLimitF32", SUM_F32, reduce::<SumF32>)
    }),
    Rung::chosen_by_size(Variant {
        shape: |n, _, _| choice(&SUM_I64, n).shape,
        ..other_type("reduceLimitI64", SUM_I64, reduce::<SumI64>)
    }),
];

/// The variants of all rungs.
const VARIANTS: [Variant; RUNGS.len()] = {
    let mut variants = [RUNGS[0].variant; RUNGS.len()];
    let mut rung = 0;
    while rung < RUNGS.len() {
        variants[rung] = RUNGS[rung].variant;
        rung += 1;
    }
    variants
};

/// Blocks of whole warps, in tiles of eight elements per thread.
const fn tiled(name: &'static str) -> Variant {
    Variant {
        shape: |n, shape, multiprocessors| in_tiles(n, 8, shape.block.next_multiple_of(32), multiprocessors),
        ..Variant::new(name, reduce::<SumI32>)
    }
}

/// The last rung for a type other than `i32`.
const fn other_type(name: &'static str, operation: Operation, host: fn(&Case) -> Result<Outcome>) -> Variant {
    Variant { operation, story: false, sweep: Sweep::Never, ..Variant::new(name, host) }
}

const EXTRAS: Extras = Extras {
    measure: Extras::on_a_gpu(compare::measure),
    tables: |record| Ok(comparison::table(record).into_iter().collect()),
    charts: charts::charts,
    figures: Extras::in_the_book(&[
        workbook::figure::Figure::of_traces("flight", flight::figure),
        workbook::figure::Figure { name: "machine", record: Some(ladder::RECORD), draw: machine::figure },
        workbook::figure::Figure { name: "ladder", record: Some(ladder::RECORD), draw: ladder::figure },
    ]),
};

pub const CHAPTER: Chapter = Chapter {
    extras: EXTRAS,
    ..Chapter::new(
        "ch7_limit",
        "How fast can a sum be? A ladder of kernels up to the speed of the memory",
        &VARIANTS,
    )
};

fn reduce<O: Operator>(case: &Case) -> Result<Outcome> {
    let Case { device, variant, data, block, grid, .. } = *case;
    let n = data.len() as u64;
    let rung = Rung::of(variant)?;
    let kernel = case.load_function(rung.kernel(n))?;
    let input = device.clone_htod(&elements::<O>(data))?;
    let shape_of_pass = |n| (variant.shape)(n, Shape::of_blocks(n, block), device.multiprocessors());
    let shape = Shape { block, grid };
    let memory = Memory::new(device, grid)?;
    let chain = Chain::new(&memory, &kernel, rung.finish, &input, n, shape, shape_of_pass)?;
    let cost = device.measure_launch(|| chain.launch(&input.slice(0..)))?;
    Ok(Outcome::new(O::value(chain.sum()?), cost))
}
