//! Programs that print through each group of the C library. What they print is what the same program prints
//! on Linux, compiled by gcc (`*.out`). They run as clang has compiled them, which is committed beside them.

use std::collections::HashMap;
use std::path::Path;

use device::{Device, SimulatorOptions};
use program::{Ended, Options, Ran, Standard, run};
use ptx_simulator::Module;

/// A world of its own: text to read, files in memory.
#[derive(Default)]
struct World {
    input: Vec<u8>,
    out: Vec<u8>,
    error: Vec<u8>,
    files: HashMap<String, Vec<u8>>,
}

impl program::Outside for World {
    fn write(&mut self, to: Standard, bytes: &[u8]) {
        match to {
            Standard::Out => self.out.extend(bytes),
            Standard::Error => self.error.extend(bytes),
        }
    }

    fn read(&mut self, into: &mut Vec<u8>) {
        into.append(&mut self.input);
    }

    fn read_file(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.get(path).cloned()
    }

    fn write_file(&mut self, path: &str, bytes: &[u8]) -> bool {
        let is_allowed = !path.contains("none");
        if is_allowed {
            self.files.insert(path.to_string(), bytes.to_vec());
        }
        is_allowed
    }

    fn source_line(&self, _: &str, _: u32) -> Option<String> {
        None
    }
}

/// Runs a program of the folder beside this file.
fn ran(name: &str, input: &str) -> (Ran, World) {
    let path = format!("{}/tests/libc/{name}.ptx", env!("CARGO_MANIFEST_DIR"));
    let ptx = std::fs::read_to_string(path).expect("the PTX is committed");
    let module = Module::parse(&ptx, &format!("{name}.cu")).expect("the PTX is the compiler's");
    let device = Device::simulator(SimulatorOptions::default());
    let mut world = World { input: input.into(), ..World::default() };
    let options = Options { args: vec![name.to_string()], ..Options::default() };
    let simulated = device.simulated().expect("a simulator");
    let ran = run(simulated, &module, &options, &mut world).expect("the program has a main");
    (ran, world)
}

/// Lines that differ, the expected one first.
#[track_caller]
fn same(printed: &[u8], expected: &[u8]) {
    let lines = |text: &[u8]| String::from_utf8_lossy(text).lines().map(str::to_string).collect::<Vec<_>>();
    for (number, (printed, expected)) in lines(printed).iter().zip(&lines(expected)).enumerate() {
        assert_eq!(printed, expected, "line {}", number + 1);
    }
    assert_eq!(printed, expected);
}

#[test]
fn texts_numbers_and_files_are_those_of_linux() {
    let (ran, world) = ran("text", "1 2 3 end\nline a\nline b");
    same(&world.out, include_bytes!("libc/text.out"));
    assert_eq!(String::from_utf8_lossy(&world.error), "to stderr\nfopen: No such file or directory\n");
    assert_eq!(ran.ended, Ended::Status(3));
    assert_eq!(world.files["out.txt"], b"line 1\nsecond\n3 4.5\n");
    assert_eq!(world.files["out.bin"].len(), 28);
    let found: Vec<String> = ran.found.iter().map(|found| found.message()).collect();
    assert_eq!(found, ["fopen gives null: the program cannot read `none/none`"]);
    assert!(!ran.asked_for_times);
}

#[test]
fn mathematics_and_dates_are_those_of_linux() {
    let (ran, world) = ran("math", "");
    same(&world.out, include_bytes!("libc/math.out"));
    assert_eq!((ran.ended, ran.found.len()), (Ended::Status(0), 0), "{:?}", ran.found);
    assert!(ran.asked_for_times);
}

/// Compiled by clang, each program is what is committed.
#[test]
#[ignore = "needs clang"]
fn the_programs_of_the_c_library_are_renewed_by_clang() {
    use kernel_compiler::compiler::{Compiler, Maker};
    use kernel_compiler::program::compile;
    use kernel_compiler::staging::Given;
    let root = kernel_compiler::root().unwrap();
    let folder = Path::new("crates/program/tests/libc");
    let clang = Compiler::require(Maker::Clang, root).unwrap().run_in(&root.join(folder));
    for name in ["math", "text"] {
        let source = root.join(folder).join(name).with_extension("cu");
        let made = compile(&clang, &[source], "80", &Given::default(), &root.join("target")).unwrap();
        testing::renew::committed(folder.join(name).with_extension("ptx"), made.ptx);
    }
}
