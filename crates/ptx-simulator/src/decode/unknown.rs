//! What is said of an instruction that the simulator does not know.

/// Parts of a GPU that the simulator does not have, and what their instructions start with.
const MISSING: [(&str, &[&str]); 4] = [
    (
        "tensor cores for these types and shapes",
        &["wmma", "mma", "wgmma", "tcgen05", "ldmatrix", "stmatrix", "movmatrix"],
    ),
    ("textures or surfaces", &["tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"]),
    (
        "tensor memory accelerator (TMA)",
        &[
            "cp.async.bulk",
            "cp.reduce.async.bulk",
            "tensormap",
            "mbarrier.expect_tx",
            "mbarrier.complete_tx",
            "mbarrier.arrive.expect_tx",
            "mbarrier.arrive_drop.expect_tx",
        ],
    ),
    ("asynchronous stores", &["st.async", "st.bulk", "red.async"]),
];

/// The instruction, the word of it that is not known, where it stands, and which part of a GPU it is for.
pub fn message(opcode: &str, word: Option<&str>, line: u32, file: &str) -> String {
    let of = if file.ends_with(".ptx") { "" } else { "the PTX of " };
    let starts = |start: &&str| {
        opcode.strip_prefix(*start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let missing = MISSING.iter().find(|(_, all)| all.iter().any(&starts));
    let why = missing.map_or(String::new(), |(part, _)| format!(", and has no {part}"));
    let word = word.map_or(String::new(), |word| format!("`.{word}` in "));
    format!("the simulator does not know {word}`{opcode}` (line {line} of {of}{file}){why}")
}

/// What to do about an instruction that the simulator does not know.
pub const HELP: &str = "run this kernel on a GPU, or write this line another way";

/// That `name` is called in `file`, and is not there.
pub fn function(name: &str, file: &str) -> String {
    format!("this calls `{name}`, which is not defined in {file}")
}

/// What to do about that.
pub fn help_on(function: &str) -> &'static str {
    let is_of_cuda = function.starts_with("cuda") || function.starts_with("__");
    // `new`, `new[]`, `delete` and `delete[]` (Itanium C++ ABI, 5.1.5).
    let is_of_new = ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|start| function.starts_with(start));
    if is_of_new {
        "use malloc() and free(): this compiler brings no `new` for kernels"
    } else if is_of_cuda {
        "run this kernel on a GPU, or do without this function: the simulator does not have it"
    } else {
        "define the function in this file: nothing else is linked to it"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_has_a_name() {
        for (opcode, part) in [
            ("wmma.load.a.sync.aligned", "and has no tensor cores for these types"),
            ("tex.1d.v4.f32.s32", "and has no textures or surfaces"),
            ("cp.async.bulk.tensor.2d", "and has no tensor memory accelerator"),
            ("st.async.shared::cluster", "and has no asynchronous stores"),
        ] {
            assert!(message(opcode, None, 7, "a.ptx").contains(part), "{opcode}");
        }
        assert_eq!(
            message("texture", None, 7, "a.cu"),
            "the simulator does not know `texture` (line 7 of the PTX of a.cu)"
        );
        assert_eq!(
            message("ld.odd.u32", Some("odd"), 7, "a.ptx"),
            "the simulator does not know `.odd` in `ld.odd.u32` (line 7 of a.ptx)"
        );
    }

    #[test]
    fn a_function_that_is_missing_is_the_readers_or_cudas() {
        assert!(help_on("_Z5helperPi").starts_with("define the function in this file"));
        assert!(help_on("_Znam").starts_with("use malloc() and free()"));
        for function in ["cudaMemcpyAsync", "__cudaCDP2EventRecord"] {
            assert!(help_on(function).contains("the simulator does not have it"), "{function}");
        }
    }
}
