//! Host code in a source whose kernels alone run: which lines it is, and what says the same in the launch
//! language (`crates/launch/src/lib.rs`), if the host does no more than to fill buffers and to launch
//! kernels.
//!
//! | file | job |
//! | --- | --- |
//! | `functions.rs` | the functions of a source, in tokens |
//! | `program.rs` | what a host program does, in the launch language |
//! | `expression.rs` | whole numbers that are computed |

mod expression;
mod functions;
mod program;

use super::lex::Token;
use super::parameters::{Parameter, kernels, parameters};
use program::{Program, Script, is_harmless};

pub use functions::{Function, functions};

/// The host code of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The first line of it, from 1.
    pub line: u32,
    /// Whether it has a `main`.
    pub is_whole: bool,
    /// First and last line of each function.
    functions: Vec<(u32, u32)>,
    /// What takes its place.
    script: Vec<String>,
    likeness: Likeness,
    /// Whether its cell has a line that launches a kernel.
    has_launch: bool,
}

/// How much the script is like the host code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Likeness {
    /// It does the same.
    Same,
    /// Its data are random, since those of the program cannot be said.
    OtherData,
    /// It launches a kernel.
    Launch,
}

impl Host {
    /// Whether this line is host code.
    pub fn concerns(&self, line: u32) -> bool {
        self.functions.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// What is wrong with it, in a sentence; `has_own` of a source whose kernels a program of the workbook
    /// launches.
    pub fn what(&self, has_own: bool) -> String {
        let (first, last) = self.functions.last().copied().unwrap_or_default();
        let place = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
        if has_own {
            let who = "a program of the workbook launches the kernels";
            return format!("host code does not run here: {who}; leave {place} out");
        }
        if self.has_launch {
            return "host code does not run here; the //@ lines are what runs".to_string();
        }
        if self.script.is_empty() {
            return "host code does not run here; a line //@ launch … launches a kernel".to_string();
        }
        let script = match self.likeness {
            Likeness::Same => "this says the same:",
            Likeness::OtherData => "this says the same with random data:",
            Likeness::Launch => "a line like this launches a kernel, with sizes of your own:",
        };
        format!("host code does not run here; in place of {place}, {script}")
    }

    /// The lines that take its place, each with its end.
    pub fn more(&self) -> String {
        let script = if self.has_launch { &[] } else { &self.script[..] };
        script.iter().map(|line| format!("    //@ {line}\n")).collect()
    }
}

/// The host code of `source`: a `main`, or a function that calls CUDA's runtime or launches a kernel.
pub fn found(source: &str) -> Option<Host> {
    let (all, outside) = functions(source);
    let launches = |body: &[Token]| body.windows(3).any(|three| three.iter().all(|token| token.is_mark("<")));
    let calls = |body: &[Token]| {
        body.windows(2).any(|pair| pair[0].text().starts_with("cuda") && pair[1].is_mark("("))
    };
    let is_host = |one: &&Function| one.name == "main" || launches(&one.body) || calls(&one.body);
    let host: Vec<&Function> = all.iter().filter(is_host).collect();
    let launching = host.iter().rfind(|one| launches(&one.body));
    let main = host.iter().find(|one| one.name == "main");
    let Function { lines: (line, _), .. } = main.or(launching).or(host.first())?;
    // One function does it all; others, say one that checks for errors, change nothing that kernels see.
    let helps = |one: &&Function| !launches(&one.body) && is_harmless(&one.body);
    let is_one = host.iter().filter(|one| !helps(one)).count() <= 1;
    let read = launching.filter(|_| is_one).and_then(|one| Program::read(source, &outside, &one.body));
    let (script, likeness) = match read {
        Some(Script { lines, is_same: true }) => (lines, Likeness::Same),
        Some(Script { lines, is_same: false }) => (lines, Likeness::OtherData),
        None => (any_launch(source).into_iter().collect(), Likeness::Launch),
    };
    let is_whole = main.is_some();
    Some(Host {
        line: *line,
        is_whole,
        functions: host.iter().map(|one| one.lines).collect(),
        script,
        likeness,
        has_launch: has_launch(source, *line),
    })
}

/// Whether a line `//@ launch` stands in the cell of this line.
fn has_launch(source: &str, line: u32) -> bool {
    let lines: Vec<&str> = source.lines().collect();
    let (before, behind) = lines.split_at((line as usize).min(lines.len()));
    let is_mark = |line: &&&str| line.starts_with("// %%");
    let is_launch = |line: &&str| {
        line.trim_start().strip_prefix("//@").is_some_and(|step| step.trim_start().starts_with("launch "))
    };
    let mut cell = before.iter().rev().take_while(|line| !is_mark(line));
    cell.any(is_launch) || behind.iter().take_while(|line| !is_mark(line)).any(is_launch)
}

/// A line that launches the first kernel of `source` on some numbers.
fn any_launch(source: &str) -> Option<String> {
    let kernel = kernels(source).into_iter().next()?;
    let texts: Vec<&str> =
        kernel.parameters.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
    let of = |(text, Parameter { kind, .. }): (&&str, Parameter)| {
        let is_buffer = text.contains(['*', '[']);
        Some(match (is_buffer, kind?) {
            (true, kind) if text.contains("const") => format!("buf:{kind}:random*256"),
            (true, kind) => format!("buf:{kind}:zeros*256"),
            (false, kind) if kind.starts_with(['f', 'b']) => format!("{kind}:1"),
            (false, kind) => format!("{kind}:256"),
        })
    };
    let arguments: Option<Vec<String>> = texts.iter().zip(parameters(source, kernel.name)).map(of).collect();
    Some(format!("launch {}<<<1, 256>>> {}", kernel.name, arguments?.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "__global__ void add(const float *a, float *b, float by, int n) {}\n";

    fn said(host: &str) -> Host {
        found(&format!("{KERNEL}{host}")).unwrap_or_else(|| panic!("{host}"))
    }

    #[test]
    fn a_simple_program_is_said_in_the_launch_language() {
        let program = "#define BLOCK 256\nint main(void)\n{\n    const int n = 1 << 10;\n    \
            size_t bytes = n * sizeof(float);\n    float *h_a = (float *)malloc(bytes), *d_a, *d_b;\n    \
            for (int i = 0; i < n; i++) { h_a[i] = (float)i; }\n    cudaMalloc(&d_a, bytes);\n    \
            cudaMalloc((void **)&d_b, bytes);\n    float by = 2.5f;\n    \
            cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice);\n    cudaMemset(d_b, 0, bytes);\n    \
            dim3 grid((n + BLOCK - 1) / BLOCK);\n    add<<<grid, BLOCK>>>(d_a, d_b, by, n);\n    \
            cudaDeviceSynchronize();\n    cudaMemcpy(h_a, d_b, bytes, cudaMemcpyDeviceToHost);\n    \
            printf(\"%f\\n\", h_a[0]);\n    cudaFree(d_a);\n    return 0;\n}\n";
        let host = said(program);
        assert_eq!((host.line, host.is_whole), (3, true));
        assert!(
            host.concerns(8)
                && !host.concerns(1)
                && host.what(false).contains("lines 3 to 21, this says the same")
        );
        let script = "    //@ buffer d_a = f32:iota*1024\n    //@ buffer d_b = f32:zeros*1024\n    \
            //@ launch add<<<4, 256>>> @d_a @d_b f32:2.5 i32:1024\n";
        assert_eq!(host.more(), script);
    }

    #[test]
    fn several_dimensions_and_shared_memory_are_said() {
        let program = "int main() { int w = 64; int *d; cudaMalloc(&d, w * w * sizeof(int)); dim3 \
            block(16, 16);\n\
            t<<<dim3(w / block_x, 4), block, 2 * 16 * sizeof(int)>>>(d, w); }";
        assert_eq!(said(program).likeness, Likeness::Launch, "w / block_x is not known");
        let host = said(&program.replace("w / block_x", "w / 16"));
        assert_eq!(host.script[1], "launch t<<<dim3(4, 4), dim3(16, 16), 128>>> @d i32:64");
        let host = said(&program.replace("block_x", "block.x"));
        assert_eq!((host.likeness, host.script.len()), (Likeness::Same, 2));
    }

    #[test]
    fn only_what_is_the_same_is_said_to_be() {
        let program = |data: &str, before: &str| {
            format!(
                "int main() {{ int h[8 * 2]; for (int i = 0; i < 16; i++) h[i] = {data}; int *d; \
                 cudaMalloc(&d, sizeof(h)); {before} cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice); \
                 add<<<1, 16>>>(d, d, 1.0f, 16); cudaFree(d); }}"
            )
        };
        let host = said(&program("rand()", ""));
        assert_eq!((host.likeness, &*host.script[0]), (Likeness::Same, "buffer d = i32:random*16"));
        assert_eq!(said(&program("i % 7", "")).likeness, Likeness::OtherData);
        let symbol = "cudaMemcpyToSymbol(coefficients, h, sizeof(h));";
        assert_eq!(said(&program("rand()", symbol)).likeness, Likeness::Launch);
    }

    /// A program whose number of elements lies too deep in parentheses or behind signs.
    fn deep(open: &str, close: &str) -> String {
        let value = open.repeat(20_000) + "1" + &close.repeat(20_000);
        format!(
            "int main() {{ int n = {value}; float *d; cudaMalloc(&d, n * 4); add<<<1, 1>>>(d, d, 1.0f, n); }}"
        )
    }

    #[test]
    fn what_is_not_simple_gets_a_launch_to_begin_with() {
        for program in [
            "int main() { for (int i = 0; i < 3; i++) add<<<1, 1>>>(0, 0, 1.0f, i); }",
            "int main() { int n = read(); float *d; cudaMalloc(&d, n); add<<<1, 1>>>(d, d, 1.0f, n); }",
            "int main() { return 0; }",
            &deep("(", ")"),
            &deep("- ", ""),
            "void run(float *d) { add<<<1, 32>>>(d, d, 1.0f, 3); }",
        ] {
            let host = said(program);
            let line = "launch add<<<1, 256>>> buf:f32:random*256 buf:f32:zeros*256 f32:1 i32:256";
            assert_eq!(host.script, [line], "{program}");
            assert!(
                host.what(false).contains("in place of line 2, a line like this"),
                "{}",
                host.what(false)
            );
        }
    }

    #[test]
    fn where_lines_launch_the_kernels_they_are_what_runs() {
        let main = "int main() { return 0; }\n";
        let lines = "//@ launch add<<<1, 1>>> @a @b f32:1 i32:1\n";
        for host in [format!("{main}{lines}"), format!("// %%\n{lines}{main}// %%\n")] {
            let host = said(&host);
            assert_eq!(host.what(false), "host code does not run here; the //@ lines are what runs");
            assert_eq!(host.more(), "");
        }
        assert!(!said(&format!("{lines}// %%\n{main}")).has_launch, "another cell's");
    }

    #[test]
    fn device_code_is_none_of_it() {
        for source in [
            "__global__ void k() { cudaGetLastError(); child<<<1, 1>>>(); }",
            "__device__ int f(int i) { return i; }\nint helper(int i) { return 2 * i; }\n#define main(x) \
                { x }\n",
            "template <class T> struct A { T main(T x) const; };",
        ] {
            assert_eq!(found(source), None, "{source}");
        }
    }
}
