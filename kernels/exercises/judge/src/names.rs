//! What the simulator knows as byte 8 of argument 0 is `g_data[2]` to whoever wrote the kernel.

use cuda_source::parameters::parameters;
use ptx_simulator::{BARRIER_OF_BLOCK, BARRIER_OF_WARP, Diagnostic, Region};

use super::plan::Plan;

/// Bytes of an element: all arrays of the exercises hold 32-bit numbers.
const ELEMENT: u32 = 4;

/// Gives `found` the names of `source`, an answer that is launched by `plan`.
pub fn name(found: &mut Diagnostic, source: &str, plan: &Plan) {
    // A child has the arguments of the kernel that the host launched, if it is the same one.
    let running = plan.launches.iter().find(|launch| Some(&launch.kernel) == found.kernel.as_ref());
    let Some(launch) = running.or(plan.launches.first()) else { return };
    let Some(spot) = found.spot_mut() else { return };
    if let Region::Argument(number) = spot.region {
        spot.name = parameters(source, &launch.kernel).get(number).map(|parameter| parameter.name.clone());
    }
    spot.element = Some(ELEMENT);
}

/// Advises on two lanes of a warp as on two threads of a block, to whoever does not know warps yet.
pub fn without_warps(found: &mut Diagnostic) {
    found.help = found.help.replace(BARRIER_OF_WARP, BARRIER_OF_BLOCK);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_simulator::{Access, Kind, Spot, What};

    const SOURCE: &str = "// void reduce(wrong)\nextern \"C\" __global__ void reduce(const int *g_a, \
        // first\n\x20                          unsigned int *g_odata, unsigned int size)\n{\n}\n";

    fn named(region: Region, name: Option<&str>, byte: i64, size: u64) -> String {
        let plan = Plan::of_launch("reduce<<<ceil_div(n,block), block>>> @input @partials u32:n");
        let name = name.map(str::to_string);
        let spot = Spot { name, ..Spot::new(region, byte, Some(size)) };
        let what = What::Outside { does: Access::Load, bytes: 4, spot };
        let mut found = Diagnostic::of_host(Kind::OutOfBounds, Some("reduce"), what, "");
        super::name(&mut found, SOURCE, &plan);
        found.message()
    }

    #[test]
    fn bytes_have_the_names_of_the_source() {
        let argument = |number, byte, size| named(Region::Argument(number), None, byte, size);
        assert_eq!(argument(0, 12, 12), "a load of 4 bytes at `g_a[3]`, and `g_a` has 3 elements");
        assert_eq!(argument(0, -4, 4), "a load of 4 bytes at `g_a[-1]`, and `g_a` has 1 element");
        assert_eq!(argument(1, 4, 6), "a load of 4 bytes at `g_odata[1]`, and `g_odata` has 1 element");
        assert_eq!(argument(0, 6, 6), "a load of 4 bytes at byte 6 of `g_a`, which has 6 bytes");
        assert_eq!(
            argument(7, 12, 8),
            "a load of 4 bytes at byte 12 of argument 7, which has 8 bytes: element 3 of 2"
        );
        let shared = |name, byte, size| named(Region::Shared { start: 64, block: None }, name, byte, size);
        assert_eq!(
            shared(Some("tile"), 4096, 4096),
            "a load of 4 bytes at `tile[1024]`, and `tile` has 1,024 elements"
        );
        assert_eq!(
            shared(None, 8, 8),
            "a load of 4 bytes at byte 8 of the block's 8 bytes of dynamic shared memory"
        );
    }
}
