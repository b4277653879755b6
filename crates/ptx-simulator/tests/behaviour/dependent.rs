//! Programmatic dependent launches: only what stands behind `griddepcontrol.wait`, in a thread that has
//! waited or met one that has, is ordered behind the grid in front.

use ptx_simulator::{Counters, Diagnostic, Kind, Launch, LaunchConfig, Module, Simulator, Together};

/// Thread t of the first grid reads `second`, where there is 0, and writes 7 more to place t; thread t of the
/// second does `body`.
fn module(body: &str) -> Module {
    let ptx = format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n\
         .visible .entry first(.param .u64 places, .param .u64 second)\n{{\n\
         .reg .b64 %a; .reg .b32 %t, %x;\n\
         ld.param.u64 %a, [second]; ld.global.u32 %x, [%a];\n\
         griddepcontrol.launch_dependents;\n\
         ld.param.u64 %a, [places]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %a;\n\
         add.u32 %x, %x, 7; st.global.u32 [%a], %x;\nret;\n}}\n\
         .visible .entry second(.param .u64 places, .param .u64 out)\n{{\n\
         .reg .b64 %a, %o; .reg .b32 %t, %x; .reg .pred %p;\n\
         ld.param.u64 %a, [places]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;\n\
         setp.ne.u32 %p, %t, 0; mad.wide.u32 %a, %t, 4, %a;\n{body}\nret;\n}}\n"
    );
    Module::parse(&ptx, "dependent").unwrap()
}

/// What is found where `body` is the second of two launches, and what the second buffer holds then.
fn found(body: &str, how: Together) -> (Vec<Diagnostic>, u32) {
    let mut simulator = Simulator::new();
    let module = module(body);
    let [places, out] = [256, 4].map(|bytes| simulator.alloc(bytes).unwrap());
    simulator.write(places, &[0; 256]).unwrap();
    simulator.write(out, &[0; 4]).unwrap();
    let args = [places, out];
    let config = LaunchConfig::new(1, 64);
    let launches = ["first", "second"].map(|kernel| Launch { kernel, config, args: &args });
    let mut counters = Counters::default();
    let mut found = Vec::new();
    simulator.launch_together(&module, (&launches, how), &mut counters, &mut found).unwrap();
    let mut bytes = [0; 4];
    simulator.read(out, &mut bytes).unwrap();
    (found, u32::from_le_bytes(bytes))
}

const READ: &str = "ld.global.u32 %x, [%a]; @!%p st.global.u32 [%o], %x;";

#[test]
fn what_the_grid_in_front_wrote_is_there_for_threads_that_have_waited() {
    let waits = format!("griddepcontrol.wait;\n{READ}");
    // The result is written behind the wait too: the first grid reads it.
    assert_eq!(found(&waits, Together::Dependent), (vec![], 7));
    let one_waits = format!("@!%p griddepcontrol.wait;\nbar.sync 0;\n{READ}");
    assert_eq!(found(&one_waits, Together::Dependent), (vec![], 7), "the others met it at a barrier");
    let alone = format!("@!%p griddepcontrol.wait;\n{READ}");
    assert_eq!(found(&alone, Together::Dependent), (vec![], 7), "the others discard what they have read");
}

#[test]
fn a_thread_that_has_not_waited_races_with_the_grid_in_front() {
    let late = format!("{READ}\ngriddepcontrol.wait;");
    let others_wait = format!("@%p griddepcontrol.wait;\n{READ}");
    let write = "st.global.u32 [%a], 8;\ngriddepcontrol.wait;";
    let early = "@!%p st.global.u32 [%o], 8;\ngriddepcontrol.wait;";
    for body in [READ, &late, &others_wait, write, early] {
        let (found, _) = found(body, Together::Dependent);
        assert!(!found.is_empty(), "{body}");
        for found in found {
            assert_eq!((found.kind, found.kernel.as_deref()), (Kind::DataRace, Some("second")), "{body}");
            assert!(found.help.contains("cudaGridDependencySynchronize()"), "{body}: {}", found.help);
            assert!(found.message().contains("of grid 0"), "{body}: {}", found.message());
        }
    }
}

#[test]
fn a_grid_that_is_no_dependent_waits_for_none() {
    let waits = format!("griddepcontrol.wait;\n{READ}");
    let (found, _) = found(&waits, Together::OnDevices);
    assert!(found.iter().any(|found| found.kind == Kind::DataRace), "two GPUs at the same time");
}
