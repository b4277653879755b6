//! No word of an instruction is skipped: each means something, or is legal and changes nothing here, or the
//! instruction is refused with a message that names the word, the instruction and the line.

use std::collections::BTreeSet;

use ptx_simulator::{Diagnostic, Kind, LaunchConfig, Module, Simulator};

/// An instruction of each family, with the operands that it takes.
const FAMILIES: [(&str, &str); 62] = [
    ("activemask.b32", "%r"),
    ("add.s32", "%r, %r, %r"),
    ("add.rn.ftz.f32", "%r, %r, %r"),
    ("addc.cc.u32", "%r, %r, %r"),
    ("and.pred", "%p, %p, %p"),
    ("atom.relaxed.gpu.global.add.u32", "%r, [%a], %r"),
    ("atom.acq_rel.cta.global.cas.b32", "%r, [%a], %r, %r"),
    ("atom.global.add.noftz.f16", "%h, [%a], %h"),
    ("bar.sync", "0"),
    ("bar.red.popc.u32", "%r, 0, %p"),
    ("bar.red.or.pred", "%p, 0, %p"),
    ("bar.arrive", "1, 64"),
    ("bar.warp.sync", "-1"),
    ("barrier.cta.sync.aligned", "0"),
    ("barrier.cluster.arrive.relaxed.aligned", ""),
    ("barrier.cluster.wait.acquire.aligned", ""),
    ("bra.uni", "end"),
    ("brkpt", ""),
    ("brx.idx", "%r, list"),
    ("call.uni", "callee"),
    ("cp.async.ca.shared.global", "[%r], [%a], 4"),
    ("cp.async.commit_group", ""),
    ("cp.async.wait_group", "0"),
    ("cp.async.mbarrier.arrive.noinc.shared.b64", "[%r]"),
    ("cvt.rn.f32.f64", "%r, %a"),
    ("cvta.to.global.u64", "%a, %a"),
    ("exit", ""),
    ("fence.acq_rel.gpu", ""),
    ("fence.proxy.alias", ""),
    ("griddepcontrol.wait", ""),
    ("isspacep.shared::cta", "%p, %a"),
    ("ld.relaxed.gpu.global.v2.u32", "{%r, %r}, [%a]"),
    ("ldmatrix.sync.aligned.m8n8.x1.shared.b16", "%r, [%r]"),
    ("ldu.global.u32", "%r, [%a]"),
    ("mapa.shared::cluster.u32", "%r, %r, %r"),
    ("match.any.sync.b32", "%r, %r, -1"),
    ("mbarrier.init.shared.b64", "[%r], 1"),
    ("mbarrier.arrive.release.cta.shared.b64", "%a, [%r]"),
    ("mbarrier.try_wait.parity.shared.b64", "%p, [%r], 0"),
    ("mbarrier.pending_count.b64", "%r, %a"),
    ("membar.gl", ""),
    (
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
        "{%r, %r, %r, %r}, {%r, %r}, {%r}, {%r, %r, %r, %r}",
    ),
    ("mov.b32", "%r, %r"),
    ("nanosleep.u32", "20"),
    ("not.pred", "%p, %p"),
    ("pmevent", "7"),
    ("prefetch.global.L2", "[%a]"),
    ("prefetchu.L1", "[%a]"),
    ("red.relaxed.gpu.global.add.u32", "[%a], %r"),
    ("redux.sync.add.u32", "%r, %r, -1"),
    ("ret.uni", ""),
    ("selp.b32", "%r, %r, %r, %p"),
    ("set.lt.ftz.u32.f32", "%r, %r, %r"),
    ("setmaxnreg.inc.sync.aligned.u32", "232"),
    ("setp.lt.and.s32", "%p, %r, %r, %p"),
    ("shfl.sync.up.b32", "%r, %r, 1, 0, -1"),
    ("slct.u32.s32", "%r, %r, %r, %r"),
    ("st.release.gpu.global.v2.u32", "[%a], {%r, %r}"),
    ("testp.finite.f32", "%p, %r"),
    ("trap", ""),
    ("vote.sync.ballot.b32", "%r, %p, -1"),
    ("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", "{%r, %r, %r, %r, %r, %r, %r, %r}, [%r]"),
];

/// The line of the instruction in [`launch`].
const LINE: u32 = 8;

/// Decodes a kernel with an instruction that no thread executes, and launches it.
fn launch(opcode: &str, operands: &str) -> Result<(), Box<Diagnostic>> {
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.func callee() {{ ret; }}\n\
         .visible .entry k(.param .u64 p)\n{{ .reg .b64 %a; .reg .b32 %r; .reg .b16 %h; \
         .reg .pred %p, %never;\n\
         list: .branchtargets end;\n@%never {opcode} {operands};\nend: ret;\n}}\n"
    );
    let module = Module::parse(&ptx, "k.ptx")?;
    Simulator::new().launch(&module, "k", LaunchConfig::new(1, 32), &[0]).map(|_| ())
}

/// What is said of an instruction that is refused.
fn refusal(opcode: &str, operands: &str) -> String {
    let Err(diagnostic) = launch(opcode, operands) else { panic!("`{opcode}` runs") };
    assert_eq!(diagnostic.kind, Kind::UnsupportedInstruction, "{opcode}: {diagnostic}");
    assert_eq!((diagnostic.file.as_deref(), diagnostic.line), (Some("k.ptx"), Some(LINE)), "{opcode}");
    let message = diagnostic.message();
    let place = format!("`{opcode}` (line {LINE} of k.ptx)");
    assert!(message.contains(&place), "`{message}` does not say {place}");
    message
}

#[test]
fn a_word_that_means_nothing_is_refused_in_every_family_and_every_place() {
    let mut words = 0;
    for (opcode, operands) in FAMILIES {
        launch(opcode, operands).unwrap_or_else(|diagnostic| panic!("{opcode}: {diagnostic}"));
        for (place, _) in opcode.match_indices('.').chain([(opcode.len(), "")]) {
            let (before, behind) = opcode.split_at(place);
            let message = refusal(&format!("{before}.banana{behind}"), operands);
            assert!(message.starts_with("the simulator does not know `.banana` in `"), "{message}");
            words += 1;
        }
    }
    assert_eq!(words, 226);
    let names: BTreeSet<&str> = FAMILIES.iter().filter_map(|(opcode, _)| opcode.split('.').next()).collect();
    assert_eq!(names.len(), 46);
}

/// In the place of a word that means something, the wrong one may be all that is known of the instruction.
#[test]
fn a_word_in_place_of_another_is_refused_and_no_other_is_blamed() {
    let mut words = 0;
    for (opcode, operands) in FAMILIES {
        let all: Vec<&str> = opcode.split('.').collect();
        for place in 1..all.len() {
            let mut wrong = all.clone();
            wrong[place] = "banana";
            let message = refusal(&wrong.join("."), operands);
            let blames = message.starts_with("the simulator does not know `.");
            assert!(!blames || message.contains("know `.banana` in"), "{message}");
            words += 1;
        }
    }
    assert_eq!(words, 164);
}

/// Words of the PTX ISA that would change something, and are not implemented or not legal there.
#[test]
fn a_word_that_would_change_the_result_is_refused_by_name() {
    let four = "{%r, %r, %r, %r}";
    let refused = [
        ("fence.acq_rel.blocks", "", "`.blocks`"),
        ("fence.sc", "", "`fence.sc`"),
        ("fence.acquire.sync_restrict::shared::cluster.cluster", "", "`.sync_restrict::shared::cluster`"),
        ("fence.proxy.tensormap::generic.release.gpu", "", "`.tensormap::generic`"),
        ("membar.gpu", "", "`.gpu`"),
        ("ld.global.v8.b32", "%r, [%a]", "`.v8`"),
        ("ld.global.release.gpu.b32", "%r, [%a]", "`.release`"),
        ("ld.acquire.global.b32", "%r, [%a]", "`ld.acquire.global.b32`"),
        ("ld.global.gpu.b32", "%r, [%a]", "`.gpu`"),
        ("ld.global.b128", "%r, [%a]", "`ld.global.b128`"),
        ("st.const.b32", "[%a], %r", "`.const`"),
        ("st.acquire.gpu.global.b32", "[%a], %r", "`.acquire`"),
        ("st.global.nc.b32", "[%a], %r", "`.nc`"),
        ("st.shared::banana.b32", "[%a], %r", "`.shared::banana`"),
        ("atom.global.add.v2.f32", "%r, [%a], %r", "`.v2`"),
        ("atom.global.volatile.add.u32", "%r, [%a], %r", "`.volatile`"),
        ("atom.global.add.noftz.f32", "%r, [%a], %r", "`.noftz`"),
        ("red.acquire.gpu.global.add.u32", "[%a], %r", "`.acquire`"),
        ("setp.lt.ftz.s32", "%p, %r, %r", "`.ftz`"),
        ("set.lt.and.u32.s32", "%r, %r, %r, %p", "`.and`"),
        ("redux.sync.min.abs.f32", "%r, %r, -1", "`.abs`"),
        ("bar.sync.aligned", "0", "`.aligned`"),
        ("barrier.cluster.wait.relaxed", "", "`.relaxed`"),
        ("cp.async.ca.shared.global.L2::512B", "[%r], [%a], 4", "`.L2::512B`"),
        ("cp.async.bulk.commit_group", "", "`.bulk`"),
        ("mbarrier.arrive.expect_tx.shared.b64", "%a, [%r], 16", "`.expect_tx`"),
        ("mbarrier.arrive_drop.expect_tx.shared.b64", "%a, [%r], 16", "`.expect_tx`"),
        ("mbarrier.expect_tx.shared.b64", "[%r], 16", "`.expect_tx`"),
        ("mbarrier.test_wait.release.cta.shared.b64", "%p, [%r], %a", "`.release`"),
        ("wmma.load.d.sync.aligned.row.m16n16k16.shared.f32", "{%r, %r}, [%r]", "`.d`"),
        ("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", four, "`.m16n16`"),
        ("prefetch.param.tensormap", "[%a]", "`.param`"),
        ("add.rn.rz.f32", "%r, %r, %r", "`.rn`"),
        ("add.sat.f64", "%a, %a, %a", "`.sat`"),
        ("min.abs.f32", "%r, %r, %r", "`.abs`"),
        ("div.approx.rz.f32", "%r, %r, %r", "`.approx`"),
        ("cvt.rn.satfinite.f16.f32", "%h, %r", "`.satfinite`"),
        ("slct.banana.s32", "%r, %r, %r, %r", "`.banana`"),
    ];
    for (opcode, operands, words) in refused {
        let message = refusal(opcode, operands);
        assert!(message.contains(&format!("the simulator does not know {words}")), "{message}");
    }
    let message = refusal("mbarrier.arrive.expect_tx.shared.b64", "%a, [%r], 16");
    assert!(message.ends_with("and has no tensor memory accelerator (TMA)"), "{message}");
}

/// Words that PTX ISA 9.0 allows there and that change nothing which a program can see.
#[test]
fn a_word_that_changes_nothing_is_taken() {
    let taken = [
        ("ld.weak.global.ca.L2::128B.b32", "%r, [%a]"),
        ("ld.global.nc.L1::no_allocate.L2::evict_last.L2::cache_hint.L2::256B.b32", "%r, [%a], %a"),
        ("ld.relaxed.sys.global.L1::evict_first.b32", "%r, [%a]"),
        ("ld.mmio.relaxed.sys.global.b32", "%r, [%a]"),
        ("ld.param::entry.b64", "%a, [p]"),
        ("ld.volatile.shared::cta.b32", "%r, [%r]"),
        ("st.global.wt.b32", "[%a], %r"),
        ("st.global.L1::evict_unchanged.L2::cache_hint.v2.b32", "[%a], {%r, %r}, %a"),
        ("atom.global.add.L2::cache_hint.u32", "%r, [%a], %r, %a"),
        ("red.global.add.L2::cache_hint.u32", "[%a], %r, %a"),
        ("cp.async.cg.shared::cta.global.L2::cache_hint.L2::64B", "[%r], [%a], 16, 8, %a"),
        ("cvta.param::entry.u64", "%a, %a"),
        ("fence.proxy.async.shared::cta", ""),
        ("membar.proxy.alias", ""),
        ("fence.gpu", ""),
        ("vote.ballot.sync.b32", "%r, %p, -1"),
        ("mbarrier.arrive.noComplete.release.cta.shared.b64", "%a, [%r], 1"),
        ("mbarrier.test_wait.relaxed.cluster.shared::cta.b64", "%p, [%r], %a"),
        ("prefetch.global.L2::evict_last", "[%a]"),
        ("call.uni", "callee"),
    ];
    for (opcode, operands) in taken {
        launch(opcode, operands).unwrap_or_else(|diagnostic| panic!("{opcode}: {diagnostic}"));
    }
}

/// An operand too many is refused as a word is.
#[test]
fn an_operand_too_many_is_refused() {
    for (opcode, operands) in FAMILIES {
        // What has no effect here has no operands that matter.
        let is_idle = ["brkpt", "nanosleep", "pmevent", "prefetch", "prefetchu", "setmaxnreg"];
        if !is_idle.contains(&opcode.split('.').next().unwrap_or_default()) {
            let comma = if operands.is_empty() { "" } else { ", " };
            refusal(opcode, &format!("{operands}{comma}%r, %r, %r"));
        }
    }
}
