//! What cannot be taken is refused by name, with exit status 2.

use super::*;

#[test]
fn a_wrong_command_line_is_refused_with_what_would_be_right() {
    let rest = "--grid 1 --block 1";
    run("").refuses(&["required", "<FILE>", "--grid", "--block"]);
    run(SUM).refuses(&["--grid", "--block"]);
    run(&format!("{SUM} {rest} --frobnicate")).refuses(&["--frobnicate"]);
    run(&format!("{SUM} {rest} --checks perhaps")).refuses(&["perhaps", "on, off"]);
    run(&format!("{SUM} {rest} --schedule x")).refuses(&["--schedule"]);
    run(&format!("{SUM} {rest} --pending-launches -1"))
        .refuses(&["--pending-launches", "a number of launches"]);
    run(&format!("{SUM} {rest} --shared -1")).refuses(&["--shared", "a number of bytes"]);
    for wrong in ["0", "-1", "1,2,3,4", "x", "4294967296"] {
        run(&format!("{SUM} --grid {wrong} --block 1")).refuses(&["--grid", "X[,Y[,Z]]"]);
        run(&format!("{SUM} --grid 1 --block {wrong}")).refuses(&["--block", "X[,Y[,Z]]"]);
    }
    for wrong in ["i32", "i32:x", "i33:1", "i8:128", "buf:i32:1,x", "buf:i32:zeros*2^40", "buf:u8:iota*300"] {
        run(&format!("{SUM} {rest} --arg {wrong}")).refuses(&["--arg", wrong]);
    }
    let args = "--arg buf:i32:1 --arg buf:i32:1";
    run(&format!("{SUM} --grid 1 --block 1025 {args}")).refuses(&["at most 1,024"]);
    run(&format!("{SUM} --grid 1,65536 --block 1 {args}")).refuses(&["65535"]);
    run(&format!("{SUM} {rest} --shared 2^20 {args}")).refuses(&["1048832 bytes of shared memory", "232448"]);
    let large = "--arg buf:i32:zeros*2^30 --arg buf:i32:1";
    run(&format!("{SUM} {rest} {large}")).refuses(&["4,294,967,300 bytes together", "allows 4,294,967,296"]);
}

#[test]
fn outputs_are_checked_before_the_launch() {
    let folder = scratch("outputs");
    let kernel = folder.join("kernel.ptx");
    std::fs::copy(root().join(KERNELS), &kernel).unwrap();
    let kernel = kernel.display();
    let folder = folder.display();
    let line = format!("{kernel} --kernel copy --grid 1 --block 1 --arg buf:u8:1 --arg buf:u8:0");
    for outputs in [
        format!("--save 1={kernel}"),
        format!("--figure {folder}/./kernel.ptx"),
        format!("--save 0={folder}/a.bin --save 1={folder}/a.bin"),
        format!("--save 0={folder}/a.html --figure {folder}/a.html"),
    ] {
        run(&format!("{line} {outputs}")).refuses(&["write to another file"]);
    }
    for outputs in [format!("--save 2={folder}/a.bin"), "--expect 2=u8:1".to_string()] {
        run(&format!("{line} {outputs}")).refuses(&["no buffer is called @2; there are: @0, @1"]);
    }
    #[cfg(unix)]
    for (place, what) in
        [(".", "it is a directory"), ("none/a.bin", "there is no such directory"), ("pipe", "it is a pipe")]
    {
        let _ = Command::new("mkfifo").arg(format!("{folder}/pipe")).output();
        for option in ["--figure ", "--save 0="] {
            run(&format!("{line} {option}{folder}/{place}")).refuses(&["cannot write", what]);
        }
    }
    if cfg!(unix) {
        run(&format!("{line} --save 0=/dev/null --save 1=/dev/null")).exits(0);
    }
    if cfg!(target_os = "linux") {
        // Known only afterwards: what the launch gave is said all the same.
        for output in ["--save 0=/dev/full", "--figure /dev/full"] {
            let full = run(&format!("{line} {output}")).exits(2);
            assert!(full.stdout().contains("argument 1: 1 element of u8"), "{}", full.stdout());
            assert!(full.stderr().contains("error: cannot write /dev/full: No space"), "{}", full.stderr());
        }
    }
}

/// `--save 0=/dev/stdout >> log` leaves in the log what it holds; what is said comes behind.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_stdout_goes_to_is_not_replaced() {
    let log = scratch("stdout").join("log");
    let line = format!("{KERNELS} --kernel copy --grid 1 --block 1 --arg buf:u8:1 --arg buf:u8:0");
    for path in ["/dev/stdout", "/dev/fd/1", "/dev/fd/2"] {
        std::fs::write(&log, "before;").unwrap();
        let file = std::fs::File::options().append(true).open(&log).unwrap();
        let mut command = simulate();
        command.args(line.split_whitespace()).arg("--save").arg(format!("1={path}"));
        assert!(command.stdout(file.try_clone().unwrap()).stderr(file).status().unwrap().success());
        let said = std::fs::read_to_string(&log).unwrap();
        assert!(said.starts_with("before;\u{1}argument 0: 1 element of u8\n"), "{path}: {said}");
    }
}

#[test]
fn what_the_command_line_says_is_shown_without_its_escapes() {
    let line = format!("{KERNELS} --kernel hello --grid 1 --block 1 --arg i32:1");
    let text = run(&format!("{line} --buffer a\u{1b}[31m=u8:1")).exits(0).stdout();
    assert!(text.contains("a\\u{1b}[31m") && !text.contains('\u{1b}'), "{text}");
    for wrong in ["--grid \u{1b}[31m", "--\u{1b}[31m", "--grid 1 --buffer \u{1b}[31m"] {
        let said = run(&format!("{KERNELS} --block 1 {wrong}")).exits(2).stderr();
        assert!(said.contains("u{1b}") && !said.contains('\u{1b}'), "{said}");
    }
}

/// Releases share most of what they know of the other locations; the rest counts.
#[test]
fn what_releases_know_counts_as_memory() {
    let path = scratch("releases").join("histogram.ptx");
    std::fs::write(&path, HISTOGRAM).unwrap();
    let line = format!("{} --grid 4 --block 256 --arg buf:u32:zeros*256 --arg u32:256", path.display());
    run(&format!("{line} --memory 2^18 --json")).exits(0);
    run(&format!("{line} --memory 2^17")).refuses(&["memory-limit", "what the checks remember"]);
}

/// 16 bins of a histogram are counted up by each thread, with `memory_order_acq_rel`.
const HISTOGRAM: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry hist(.param .u64 p, .param .u32 bins)
{
 .reg .u32 %r<12>;
 .reg .u64 %rd<6>;
 .reg .pred %p;
 ld.param.u64 %rd1, [p];
 ld.param.u32 %r9, [bins];
 cvta.to.global.u64 %rd1, %rd1;
 mov.u32 %r1, %tid.x;
 mov.u32 %r2, %ctaid.x;
 mov.u32 %r3, %ntid.x;
 mad.lo.u32 %r4, %r2, %r3, %r1;
 mul.lo.u32 %r4, %r4, 2654435761;
 shr.u32 %r4, %r4, 8;
 mov.u32 %r8, 0;
L:
 mad.lo.u32 %r4, %r4, 1664525, 1013904223;
 shr.u32 %r7, %r4, 9;
 rem.u32 %r7, %r7, %r9;
 mul.wide.u32 %rd2, %r7, 4;
 add.u64 %rd3, %rd1, %rd2;
 atom.add.acq_rel.gpu.global.u32 %r5, [%rd3], 1;
 add.u32 %r8, %r8, 1;
 setp.lt.u32 %p, %r8, 16;
 @%p bra L;
 ret;
}
";

#[test]
fn what_is_too_long_is_not_read() {
    let folder = scratch("long");
    for (name, len) in [("z.bin", 3 << 30), ("z.ptx", 3 << 30)] {
        std::fs::File::create(folder.join(name)).unwrap().set_len(len).unwrap();
    }
    let shown = folder.display();
    let line = format!("{KERNELS} --kernel hello --grid 1 --block 1 --memory 2^20 --arg buf:u8:file={shown}");
    run(&format!("{line}/z.bin"))
        .refuses(&["the buffers have 3,221,225,472 bytes together, and --memory allows 1,048,576"]);
    run(&format!("{line}/z.npy")).refuses(&["z.npy: files hold raw bytes"]);
    run(&format!("{shown}/z.ptx --grid 1 --block 1")).refuses(&["z.ptx: it has more than 67,108,864 bytes"]);
    run(&format!("{KERNELS} --script {shown}/z.ptx")).refuses(&["z.ptx: it has more than 67,108,864 bytes"]);
    #[cfg(unix)]
    run(&format!("{KERNELS} --script /dev/zero")).refuses(&["/dev/zero: it is not a file but a device"]);
}

#[test]
fn a_launch_that_needs_more_memory_than_it_may_have_ends_with_a_sentence() {
    let line =
        format!("{KERNELS} --kernel copy --grid 2000 --block 500 --arg buf:u8:3*1e6 --arg buf:u8:0*1e6");
    run(&format!("{line} --memory 1e7")).refuses(&[
        "memory-limit",
        "10,000,000 bytes: 2,000,0",
        "what the checks remember",
        "--checks off",
    ]);
    run(&format!("{line} --memory 1e7 --checks off --json")).exits(0);
    run(&format!("{line} --memory 2^26 --json")).exits(0);
}

#[test]
fn a_kernel_or_an_argument_that_is_not_there_is_refused_with_the_list() {
    kernel("nothing", 1, "").refuses(&["no kernel is named nothing; there are: numbers, copy", ", plain, "]);
    kernel("plian", 1, "").refuses(&["no kernel is named plian; write plain\n"]);
    run(&format!("{KERNELS} --grid 1 --block 1")).refuses(&["give --kernel one of: numbers, copy, strided"]);
    kernel("strided", 1, "buf:i32:1 buf:i32:1").refuses(&[
        "strided takes 3 arguments, 2 were given",
        "0  in, .u64 (8 bytes: i64, u64 or a buffer); given: buf:i32:1",
        "2  stride, .u32 (4 bytes: i32 or u32); nothing was given",
    ]);
    kernel("hello", 1, "i32:1 buf:i32:1")
        .refuses(&["hello takes 1 argument, 2 were given", "1  no parameter; given: buf:i32:1"]);
    kernel("hello", 1, "").refuses(&["hello takes 1 argument, 0 were given"]);
    kernel("hello", 1, "i64:1")
        .refuses(&["argument 0 of hello does not fit, i64:1: the parameter has 4 bytes, it has 8"]);
    kernel("hello", 1, "buf:i32:1").refuses(&["the address of a buffer has 8", "0  number, .u32"]);
    kernel("hello", 1, "f32:1").refuses(&["the parameter is a whole number (.u32), it is a float"]);
    kernel("structure", 1, "i32:1 buf:i32:1").refuses(&["has 12 bytes, it has 4; give a structure", "0  "]);
}

/// As it stands in the PTX, and at the line of the `.cu` that it comes from.
#[test]
fn what_the_simulator_has_no_part_for_is_refused_by_name_at_its_line() {
    let source = std::fs::read_to_string(root().join("crates/simulate/tests/simulate/missing.cu")).unwrap();
    for (kernel, args, opcode, missing) in [
        (
            "tensorCores",
            ["buf:i8:0*256", "buf:i32:0*256"],
            "wmma.load.a.sync",
            "tensor cores for these types and shapes",
        ),
        ("texture", ["u64:1", "buf:f32:0*32"], "tex.2d.v4.f32.f32", "textures or surfaces"),
        ("surface", ["f32:1", "u64:1"], "sust.b.2d.b32", "textures or surfaces"),
        (
            "tensorMap",
            ["u64:1", "buf:i32:0*32"],
            "cp.async.bulk.tensor.1d",
            "tensor memory accelerator (TMA)",
        ),
    ] {
        let line = 1 + source.lines().position(|line| line.ends_with(&format!("// {kernel}"))).unwrap();
        let [first, second] = args;
        let command = format!("--grid 1 --block 32 --kernel {kernel} --arg {first} --arg {second}");
        run(&format!("crates/simulate/tests/simulate/missing.ptx {command}")).refuses(&[
            "error[unsupported-instruction]: the simulator does not know",
            opcode,
            &format!(", and has no {missing}\n"),
            &format!("--> crates/simulate/tests/simulate/missing.cu:{line}:"),
            &format!("in {kernel}"),
            "run this kernel on a GPU, or write this line another way",
            "the simulator cannot run this",
        ]);
    }
}

#[test]
fn a_file_that_cannot_be_taken_is_refused_by_name() {
    let rest = "--grid 1 --block 1";
    run(&format!("crates/simulate/tests/simulate/absent.ptx {rest}"))
        .refuses(&["cannot read crates/simulate/tests/simulate/absent.ptx"]);
    // By its name alone: this one has no end.
    #[cfg(unix)]
    run(&format!("/dev/zero {rest}")).refuses(&["/dev/zero is neither PTX (.ptx) nor CUDA C++ (.cu)"]);
    run(&format!("tests/simulate {rest}")).refuses(&["tests/simulate"]);
    run(&format!("Cargo.toml {rest}")).refuses(&["Cargo.toml is neither PTX (.ptx) nor CUDA C++ (.cu)"]);
    let directory = scratch("files");
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    run(&format!("{} {rest}", file("empty.ptx", b""))).refuses(&["empty.ptx"]);
    run(&format!("{} {rest}", file("bytes.ptx", &[0xff, 0xfe]))).refuses(&["cannot read", "bytes.ptx"]);
    let broken = file("broken.ptx", b".version 9.0\n.target sm_75\n\n.visible .entry k( {\n");
    let said = run(&format!("{broken} {rest}"));
    said.refuses(&["broken.ptx:4", ".visible .entry k( {"]);
    let reference = file("reference.ptx", b".version 9.0\n.target sm_75\n.global .texref t;\n");
    run(&format!("{reference} {rest}"))
        .refuses(&["reference.ptx:3", "`.texref`: the simulator has no textures or surfaces"]);
}

/// PTX names its sources by `.file`, and nobody may have meant the reader to see those.
#[test]
fn only_sources_below_the_given_folders_are_opened_and_their_text_is_shown_as_text() {
    // Not below the working directory, which is one of the given folders.
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    let mine = directory.join("mine");
    std::fs::create_dir_all(&mine).unwrap();
    std::fs::write(directory.join("secret.cu"), "secret\n".repeat(99)).unwrap();
    std::fs::write(mine.join("hostile.cu"), "\u{1b}]0;title\u{7}hostile\n".repeat(99)).unwrap();
    let ptx = std::fs::read_to_string(root().join(SUM)).unwrap();
    let says = |source: &str| {
        let line = ptx.lines().find(|line| line.trim_start().starts_with(".file")).unwrap();
        let file = mine.join("mine.ptx");
        std::fs::write(&file, ptx.replace(line, &format!(".file 1 \"{source}\""))).unwrap();
        let args = "--grid 1 --block 64 --arg buf:i32:iota*64 --arg buf:i32:0";
        run(&format!("{} {args}", file.display())).exits(1).stdout()
    };
    let said = says("hostile.cu");
    assert!(said.contains("\\u{1b}]0;title\\u{7}hostile") && !said.contains('\u{1b}'), "{said}");
    let secret = directory.join("secret.cu").display().to_string();
    for source in ["../secret.cu", &secret] {
        let said = says(source);
        assert!(said.contains("secret.cu:") && !said.contains("| secret"), "{said}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.cu", mine.join("link.cu")).unwrap();
        let fifo = mine.join("fifo.ptx");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        assert!(!says("link.cu").contains("| secret"));
        assert!(says("fifo.ptx").contains("fifo.ptx:"), "and nobody waits for a writer");
        run(&format!("{} --grid 1 --block 1", fifo.display()))
            .refuses(&["fifo.ptx: it is not a file but a pipe"]);
    }
}

/// In each a loop or a recursion that takes memory for ever.
#[test]
fn launches_without_end_and_buffers_that_nobody_launches_end_with_a_sentence() {
    for kernel in ["launchesItself", "neverLaunches"] {
        for checks in ["on", "off"] {
            let line = format!("--kernel {kernel} --grid 1 --block 1 --memory 2^24 --checks {checks}");
            let launches = "for launches by device code that have not ended";
            let said = ["memory-limit", launches, "what ends the recursion"];
            run(&format!("crates/simulate/tests/simulate/endless.ptx {line}")).refuses(&said);
        }
    }
}

/// Their names are CUB's, the code is not.
#[test]
fn a_kernel_of_a_library_runs_if_it_is_asked_for() {
    let name = "_ZN3cub17CUB_300001_SM_7506detail11EmptyKernelIvEEvv";
    let entry = |name: &str| format!(".visible .entry {name}()\n{{\n    ret;\n}}\n");
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n";
    let other = name.replace("Empty", "Other");
    let file = scratch("library").join("library.ptx");
    let rest = format!("{} --grid 1 --block 1", file.display());
    std::fs::write(&file, format!("{head}{}{}", entry(name), entry(&other))).unwrap();
    run(&format!("{rest} --kernel {name} --json")).exits(0);
    run(&format!("{rest} --kernel cub::CUB_300001_SM_750::detail::EmptyKernel --json")).exits(0);
    run(&rest).refuses(&["the only kernels are those of a library; give --kernel one of: ", name]);
    std::fs::write(&file, format!("{head}{}{}", entry(name), entry("mine"))).unwrap();
    run(&format!("{rest} --json")).exits(0);
}

/// Arguments, by blanks.
const SPECS: &str = "\
: @ @+ @@ @0+ @0+-1 @0+0xffffffffffffffff @9 buf: buf:: buf:ptr:@ buf:ptr:@0,@0+1 buf:ptr:iota*3 \
buf:ptr:random*3 buf:i32:, buf:i32:* buf:i32:5* buf:i32:é*3 buf:i32:random::::*4 \
buf:f32:random:1:inf:inf*3 buf:f64:random:1:-1e308:1e308*3 \
buf:i64:random:1:-9223372036854775808:9223372036854775807*50 buf:u64:random:1:0:18446744073709551615*50 \
buf:i32:zeros*99999999999999999999999999 buf:u8:uninit*2^36 buf:i32:file= buf:i32:file=/ \
buf:u8:file=/dev/zero struct: struct:, struct:ptr:@9 struct:i8:1,ptr:@0+99999999999 bytes: i32:é é:1 \
f64:1e400 u64:-0";

/// Lines of options.
const OPTIONS: &str = "\
--grid 2147483647,65535,65535 --block 1024 --steps-limit 1000
--grid 2147483647,65535,65535 --block 1024 --steps-limit 1000 --schedule 3
--grid 4294967295,4294967295,4294967295 --block 1
--grid 1 --block 4294967295,4294967295,4294967295
--grid 1 --block 64 --schedule 18446744073709551615
--grid 1 --block 64 --cluster 4294967295,4294967295,4294967295
--grid 8 --block 64 --cluster 3
--grid 1 --block 64 --shared 4294967295
--grid 1 --block 64 --steps-limit 0
--grid 1 --block 64 --memory 0
--grid 1 --block 64 --pending-launches 18446744073709551615 --sync-depth 4294967295
--grid 1 --block 64 --expect 1=ptr:@0
--grid 1 --block 64 --expect 0=
--grid 1 --block 64 --save 0=/nowhere/x
--grid 1 --block 64 --symbol =i32:1
--grid 1 --block 64 --kernel _Z999999999999x";

/// Scripts, by semicolons.
const SCRIPTS: &str = "\
buffer;buffer a=;launch;launch <<<;launch <<<>>>;launch >>>1, 1<<<;launch é<<<1, 1>>>;\
launch sum<<<1, 64, 0, 0>>>;launch sum<<<1, 64>>> cluster=;expect;expect a=i32:1 within;save;symbol;é;\
buffer a=i32:1\nlaunch sum<<<1, 1>>> @a+0xffffffffffffffff @a";

/// Whatever is typed in, the program itself does not fail: it refuses, or runs, and says what is wrong.
#[test]
fn malformed_input_ends_with_a_sentence() {
    let directory = scratch("malformed");
    std::fs::create_dir_all(&directory).unwrap();
    let ends = |line: &str, args: &[&str]| {
        let mut command = simulate();
        command.args(line.split_whitespace()).args(args);
        let run = Run { line: format!("{line} {args:?}"), output: command.output().unwrap() };
        let status = run.output.status.code();
        assert!(matches!(status, Some(0..=2)), "{}: {status:?}\n{}", run.line, run.stderr());
        assert!(status == Some(0) || !(run.stdout() + &run.stderr()).is_empty(), "{}", run.line);
    };
    for spec in SPECS.split(' ').chain([""]) {
        ends(&format!("{SUM} --grid 1 --block 64 --memory 1e8 --arg buf:i32:iota*64"), &["--arg", spec]);
    }
    let args = "--arg buf:i32:iota*64 --arg buf:i32:0";
    for options in OPTIONS.lines() {
        ends(&format!("{SUM} {args} {options}"), &[]);
    }
    for script in SCRIPTS.split(';') {
        let file = directory.join("steps.txt");
        std::fs::write(&file, script).unwrap();
        ends(&format!("{SUM} --script"), &[&file.display().to_string()]);
    }
}
