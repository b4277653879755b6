//! Whatever a program hands to a function that it has not defined, there is an answer: no call panics, none
//! goes on for ever.

use std::panic::{AssertUnwindSafe, catch_unwind};

use device::{Device, SimulatorOptions};
use program::{Options, Outside, Standard, native_names, run};
use ptx_simulator::Module;
use reduction::data::bits;

/// How many functions there are at least.
const AT_LEAST: usize = 300;
/// Calls of each.
const CALLS: u64 = 16;
/// Arguments of a call: no function has more.
const ARGUMENTS: usize = 10;

/// A world that takes everything and gives one line.
#[derive(Default)]
struct Little {
    is_read: bool,
}

impl Outside for Little {
    fn write(&mut self, _: Standard, _: &[u8]) {}

    fn read(&mut self, into: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.is_read, true) {
            into.extend(b"17 -3.5 word\n");
        }
    }

    fn read_file(&mut self, _: &str) -> Option<Vec<u8>> {
        Some(b"one line\n".to_vec())
    }

    fn write_file(&mut self, _: &str, _: &[u8]) -> bool {
        true
    }

    fn source_line(&self, _: &str, _: u32) -> Option<String> {
        None
    }
}

/// An argument as PTX: a number, or the register of an address that is good for 64 bytes.
fn argument(number: u64) -> &'static str {
    const ALL: [&str; 12] = [
        "0",
        "1",
        "3",
        "64",
        "-1",
        "-8",
        "0x7fffffffffffffff",
        "0x100000000",
        "%rd0",
        "%rd1",
        "%rd2",
        "%rd3",
    ];
    ALL[(bits(7, number) % ALL.len() as u64) as usize]
}

/// A program that calls `name` twice with these arguments, with what it returned among those of the second
/// call.
fn source(name: &str, arguments: &[&str]) -> String {
    let declared: Vec<String> = (0..arguments.len()).map(|n| format!(".param .b64 a{n}")).collect();
    let externs =
        |name: &str, declared: &str| format!(".extern .func (.param .b64 r) {name} ({declared});\n");
    let call = |name: &str, arguments: &[&str], result: &str| {
        let given: Vec<String> = (0..arguments.len()).map(|n| format!("p{n}")).collect();
        let mut text = String::from("{\n");
        for (number, argument) in arguments.iter().enumerate() {
            text += &format!(".param .b64 p{number};\nst.param.b64 [p{number}], {argument};\n");
        }
        text += &format!(".param .b64 q;\ncall.uni (q), {name}, ({});\n", given.join(", "));
        text + &format!("ld.param.b64 {result}, [q];\n}}\n")
    };
    let mut text = String::from(".version 8.0\n.target sm_80\n.address_size 64\n");
    text += ".visible .global .align 8 .b8 table[64];\n";
    text += ".visible .entry kernel(.param .u64 p)\n{\nret;\n}\n";
    for (other, arguments) in [("malloc", 1), ("cudaMalloc", 2)] {
        if other != name {
            text += &externs(other, &declared[..arguments].join(", "));
        }
    }
    text += &externs(name, &declared.join(", "));
    text +=
        ".visible .func (.param .b32 status) main()\n{\n.local .align 8 .b8 frame[64];\n.reg .b64 %rd<9>;\n";
    text += "mov.b64 %rd7, frame;\ncvta.local.u64 %rd0, %rd7;\n";
    text += "mov.b64 %rd7, kernel;\ncvta.global.u64 %rd3, %rd7;\n";
    if name != "malloc" && name != "cudaMalloc" {
        text += &call("malloc", &["64"], "%rd1");
        text += &call("cudaMalloc", &["%rd0", "64"], "%rd6");
    }
    text += "ld.u64 %rd2, [%rd0];\n";
    text += &call(name, arguments, "%rd4");
    let mut again = arguments.to_vec();
    again[0] = "%rd4";
    text += &call(name, &again, "%rd5");
    text + "st.param.b32 [status], 0;\nret;\n}\n"
}

#[test]
fn no_function_panics_whatever_it_is_given() {
    let mut names: Vec<String> = native_names().collect();
    names.sort();
    assert!(names.len() >= AT_LEAST, "{}", names.len());
    let mut numbers = 0..;
    let mut wrong = Vec::new();
    for name in &names {
        for _ in 0..CALLS {
            let arguments: Vec<&str> = numbers.by_ref().take(ARGUMENTS).map(argument).collect();
            let source = source(name, &arguments);
            let module = Module::parse(&source, "hostile.cu").unwrap();
            let device =
                Device::simulator(SimulatorOptions { memory: 16 << 20, ..SimulatorOptions::default() });
            let options = Options {
                args: vec!["hostile".into()],
                step_limit: Some(1 << 20),
                warp_limit: Some(1 << 16),
                ..Options::default()
            };
            let ran = catch_unwind(AssertUnwindSafe(|| {
                run(device.simulated().unwrap(), &module, &options, &mut Little::default())
                    .map(|_| ())
                    .unwrap();
            }));
            if ran.is_err() {
                wrong.push(format!("{name} {arguments:?}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
