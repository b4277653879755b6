//! More than one launch of numbers and buffers: structures, variables of the module, tables of pointers,
//! files and scripts.

use serde_json::json;

use super::*;

const PROGRAMS: &str = "crates/simulate/tests/simulate/programs.ptx";

/// Runs `kernel` of [`PROGRAMS`] in one block, with JSON.
fn program(kernel: &str, block: u32, rest: &str) -> Run {
    run(&format!("{PROGRAMS} --kernel {kernel} --grid 1 --block {block} --json {rest}"))
}

#[test]
fn structures_are_given_by_fields() {
    let matrix = "--buffer m=f32:iota*6 --arg struct:i32:2,3,ptr:@m";
    let scale = "--arg struct:f32:2,1,0.5";
    let run = program("rowSums", 2, &format!("{matrix} {scale} --arg buf:f32:uninit*2")).exits(0);
    assert_eq!(run.json()["buffers"][1], json!({"arg": 2, "type": "f32", "values": [6.5, 24.5]}));
    assert_eq!(run.json()["buffers"][0]["name"], json!("m"));
    let few = program("rowSums", 2, &format!("{matrix} --arg struct:f32:2,1 --arg buf:f32:uninit*2"));
    few.refuses(&["has 12 bytes, it has 8", "1  scale, .b8 (12 bytes: struct:TYPE:NUMBER,…)"]);
    let lost = program("rowSums", 2, "--arg struct:i32:2,3,ptr:@x --arg struct:f32:1,1,1 --arg buf:f32:0*2");
    lost.refuses(&["no buffer is called @x; there are: @2"]);
    let out = program("gather", 2, "--buffer a=i32:1,2 --arg buf:ptr:@a,@a+4 --arg buf:i32:uninit*2");
    assert!(out.exits(1).stdout().contains("out-of-bounds"));
    let table = "--buffer a=i32:1,2,3 --arg buf:ptr:@a,@a+4 --arg buf:i32:uninit*2";
    assert_eq!(program("gather", 2, table).exits(0).json()["buffers"][2]["values"], json!([2, 3]));
}

#[test]
fn floats_of_16_bits_go_in_and_come_out() {
    let line = "--arg buf:f16:0.5,65504,-0.1 --arg buf:bf16:1,2,3.140625 --arg buf:f32:uninit*3 --arg f16:2";
    let json = program("halves", 3, line).exits(0).json();
    assert_eq!(json["buffers"][0]["values"], json!([0.5, 65504.0, -0.1]));
    assert_eq!(json["buffers"][1]["values"].to_string(), "[1.0,2.0,3.14]");
    assert_eq!(json["buffers"][2]["values"].to_string(), "[2.0,131010.0,2.9406738]");
}

#[test]
fn variables_of_the_module_are_set_and_shown() {
    let line = "--arg buf:i32:uninit*4 --symbol weights=i32:1,2,3,4 --symbol calls=u32:";
    let json = program("weigh", 4, line).exits(0).json();
    assert_eq!(
        json["buffers"],
        json!([
            {"arg": 0, "type": "i32", "values": [5, 6, 7, 8]},
            {"name": "weights", "type": "i32", "values": [1, 2, 3, 4]},
            {"name": "calls", "type": "u32", "values": [4]},
        ])
    );
    // Nobody has filled the constant, or a part of it.
    for set in ["", "--symbol weights=i32:1,2", "--symbol weights=i32:1,2,uninit*2"] {
        let json = program("weigh", 4, &format!("--arg buf:i32:uninit*4 {set}")).exits(1).json();
        let found = &json["diagnostics"][0];
        assert_eq!((&found["kind"], &found["severity"]), (&json!("uninitialized-read"), &json!("error")));
        let said = found["message"].as_str().unwrap();
        assert!(said.contains("this constant, or this part of it, was never set"), "{json}");
    }
    program("weigh", 4, "--arg buf:i32:uninit*4 --symbol weights=i32:zeros*4").exits(0);
    program("weigh", 4, "--arg buf:i32:0*4 --symbol weight=i32:1")
        .refuses(&["no variable weight; there are: ", "weights"]);
    program("weigh", 4, "--arg buf:i32:0*4 --symbol weights=i32:0*5")
        .refuses(&["weights has 16 bytes, and 20"]);
}

#[test]
fn parts_that_nobody_has_written_are_known() {
    let line = "--arg buf:i32:uninit*4 --arg buf:i32:5,iota*2,uninit*1";
    let some = program("onlyThose", 3, line).exits(0).json();
    assert_eq!(some["buffers"][0]["values"], json!([5, 0, 1, null]));
    assert_eq!(some["buffers"][1]["values"], json!([5, 0, 1, null]));
    program("onlyThose", 4, line).exits(1);
}

#[test]
fn a_reduction_in_two_launches_is_a_script_of_a_few_lines() {
    let folder = scratch("script");
    let steps = folder.join("steps.txt");
    let saved = folder.join("sums.bin");
    let script = |expected: &str| {
        let text = format!(
            "buffer in = f32:iota*200\nbuffer sums = f32:uninit*4\nbuffer all = f32:uninit*1\n\
             launch blockSums<<<4, 64>>> @in @sums i32:200\nlaunch blockSums<<<1, 64>>> @sums @all i32:4\n\
             expect all = f32:{expected}\nsave sums = {}\n",
            saved.display()
        );
        std::fs::write(&steps, text).unwrap();
        run(&format!("{PROGRAMS} --script {}", steps.display()))
    };
    let right = script("19900").exits(0);
    assert!(right.stdout().contains("all: 1 element of f32\n  [0]  19900.0\n"), "{}", right.stdout());
    assert!(right.stdout().ends_with("ok: nothing is wrong; `all` is as expected\n"), "{}", right.stdout());
    script("19901 within 1e-4").exits(0);
    let wrong = script("19901").exits(1);
    let said = format!(
        "not as expected: {}:6: @all holds 19900.0 in element 0, where 19901.0 is expected; 1 of 1 are wrong",
        steps.display()
    );
    assert!(wrong.stdout().contains(&said), "{}", wrong.stdout());
    // Two buffers are compared.
    std::fs::write(
        &steps,
        "buffer in = f32:iota*64\nbuffer a = f32:uninit*2\nbuffer b = f32:zeros*2\n\
         launch blockSums<<<1, 64>>> @in @a i32:64\nlaunch blockSums<<<1, 64>>> @in @b i32:64\n\
         expect b = @a\n",
    )
    .unwrap();
    let said = run(&format!("{PROGRAMS} --script {}", steps.display())).exits(1).stdout();
    let differs = "@b holds 0.0 in element 1, where @a holds ?; 1 of 2 are wrong";
    assert!(said.contains(differs), "{said}");
    let text = std::fs::read_to_string(&steps).unwrap().replace("*2", "*1");
    std::fs::write(&steps, text.replace("@a\n", "@c\n")).unwrap();
    run(&format!("{PROGRAMS} --script {}", steps.display())).refuses(&["no buffer is called @c"]);
    std::fs::write(&steps, &text).unwrap();
    let same = run(&format!("{PROGRAMS} --script {}", steps.display())).exits(0).stdout();
    assert!(same.ends_with("ok: nothing is wrong; `b` is as expected\n"), "{same}");
    std::fs::write(
        &steps,
        text.replace("b = f32", "b = f64").replace("launch blockSums<<<1, 64>>> @in @b i32:64\n", ""),
    )
    .unwrap();
    let other = run(&format!("{PROGRAMS} --script {}", steps.display())).exits(1).stdout();
    assert!(other.contains("@b has 1 elements of f64, and 1 of f32 are expected"), "{other}");
    script("19900").exits(0);
    // What was saved is what the second launch added up.
    let line = format!(
        "--arg buf:f32:file={} --arg buf:f32:uninit*1 --arg i32:4 --expect 1=f32:19900",
        saved.display()
    );
    program("blockSums", 64, &line).exits(0);
    std::fs::write(&steps, "buffer in = f32:1\nlaunch blockSum<<<1, 64>>> @in @in i32:1\n").unwrap();
    run(&format!("{PROGRAMS} --script {}", steps.display()))
        .refuses(&["no kernel is named blockSum; write blockSums"]);
    std::fs::write(&steps, "buffer in = f32:1\nlanch blockSums\n").unwrap();
    run(&format!("{PROGRAMS} --script {}", steps.display()))
        .refuses(&["steps.txt:2: `lanch` is not a step; write launch"]);
}

/// The file of [`PROGRAMS`] with `lines` below it.
fn with_lines(name: &str, lines: &str) -> PathBuf {
    let file = scratch(name).join("mine.ptx");
    let programs = std::fs::read_to_string(root().join(PROGRAMS)).unwrap();
    std::fs::write(&file, programs + lines).unwrap();
    file
}

#[test]
fn a_file_says_in_its_comments_what_is_launched() {
    let lines = "//@ buffer in = f32:iota*200\n//@ buffer sums = f32:uninit*4\n\n  \
                 //@ launch blockSums<<<4, 64>>> @in @sums i32:200\n\
                 //@ expect sums = f32:2016,6112,10208,1564\n";
    let file = with_lines("comments", lines);
    let right = run(&file.display().to_string()).exits(0).stdout();
    assert!(right.contains("sums: 4 elements of f32\n  [0]   2016.0  6112.0"), "{right}");
    // What the command line launches goes before it.
    let other =
        "--kernel halves --grid 1 --block 1 --arg buf:f16:1 --arg buf:bf16:2 --arg buf:f32:0 --arg f16:1";
    let other = run(&format!("{} {other}", file.display())).exits(0).stdout();
    assert!(other.contains("argument 2: 1 element of f32") && !other.contains("sums"), "{other}");
    for (line, says) in [
        ("lanch blockSums", "`lanch` is not a step; write launch"),
        ("launch blockSums<<<4>>>", "the threads per block are missing; write <<<4, 256>>>"),
        ("buffer in = i33:1", "i33"),
        ("buffer out = f32:2", "two buffers are named out; give this one another name"),
        ("launch blockSums<<<1, 64>>> @out @out i32:1\n//@ buffer table = ptr:@x", "no buffer is called @x"),
        ("launch blockSums<<<1, 64>>> @in @out i32:1", "no buffer is called @in; there are: @out"),
        ("launch blockSums<<<1, 64>>> @out @out i32:1\n//@ expect sum = f32:1", "no buffer is called @sum"),
    ] {
        let file = with_lines("comments", &format!("//@ buffer out = f32:1\n//@ {line}\n"));
        // It is the last line that is wrong.
        let number = std::fs::read_to_string(&file).unwrap().lines().count();
        run(&file.display().to_string()).refuses(&[&format!("{}:{number}: ", file.display()), says]);
    }
    run(SUM).refuses(&["missing_barrier.ptx has no line `//@ launch …`: add one, like"]);
    run(&format!("{SUM} --arg buf:i32:1")).refuses(&["--grid"]);
}

const SUMS: &str = "//@ buffer in = f32:iota*200\n//@ buffer sums = f32:uninit*4\n\
                    //@ launch blockSums<<<4, 64>>> @in @sums i32:200\n";

/// A file that somebody has sent must not decide what is written on this machine, and where.
#[test]
fn a_script_inside_a_file_writes_only_new_files_in_the_folder_that_the_user_names() {
    let line = |name: &str| format!("{SUMS}//@ save sums = {name}\n");
    let file = with_lines("saves", &line("sums.bin"));
    let folder = file.parent().unwrap();
    let out = folder.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let saved = out.join("sums.bin");

    let without = run(&file.display().to_string()).exits(0);
    let said = "note: @sums was not saved as sums.bin (4 × f32, 16 bytes): --out FOLDER allows it\n";
    assert_eq!(without.stderr(), said);
    assert!(!out.exists() && !root().join("sums.bin").exists());

    let with = format!("{} --out {}", file.display(), out.display());
    // The same again writes the same again, so nothing is lost.
    for _ in 0..2 {
        assert_eq!(run(&with).exits(0).stderr(), "");
        let bytes = std::fs::read(&saved).unwrap();
        let sums: Vec<f32> =
            bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        assert_eq!(sums, [2016.0, 6112.0, 10208.0, 1564.0]);
    }
    std::fs::write(&saved, "mine").unwrap();
    let kept = run(&with).exits(2).stderr();
    assert!(kept.contains("sums.bin: something else is there already"), "{kept}");
    assert_eq!(std::fs::read(&saved).unwrap(), b"mine");

    for name in ["../x", "/tmp/x", "sub/x", "..", ".bashrc", "C:x", "a\\b"] {
        std::fs::write(&file, std::fs::read_to_string(root().join(PROGRAMS)).unwrap() + &line(name)).unwrap();
        run(&with).refuses(&[&format!("cannot write `{name}`"), "--out"]);
    }
}

#[cfg(unix)]
#[test]
fn a_script_inside_a_file_follows_no_link_out_of_its_folder() {
    use std::os::unix::fs::symlink;
    let file = with_lines("links", &format!("{SUMS}//@ save sums = link.bin\n"));
    let folder = file.parent().unwrap();
    let out = folder.join("out");
    let target = folder.join("target");
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir(&out).unwrap();
    for held in [Some("mine"), None] {
        let _ = std::fs::remove_file(&target);
        let _ = std::fs::remove_file(out.join("link.bin"));
        if let Some(text) = held {
            std::fs::write(&target, text).unwrap();
        }
        symlink(&target, out.join("link.bin")).unwrap();
        run(&format!("{} --out {}", file.display(), out.display())).exits(2);
        assert_eq!(std::fs::read_to_string(&target).ok().as_deref(), held);
    }

    let inner = folder.join("inner");
    let _ = std::fs::remove_dir_all(&inner);
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(folder.join("secret.bin"), [0; 16]).unwrap();
    symlink(folder.join("secret.bin"), inner.join("link.bin")).unwrap();
    let reads = |name: &str| {
        let text = format!(
            "//@ buffer in = f32:file={name}\n//@ buffer sums = f32:uninit*1\n\
                            //@ launch blockSums<<<1, 64>>> @in @sums i32:4\n"
        );
        let mine = inner.join("mine.ptx");
        std::fs::write(&mine, std::fs::read_to_string(root().join(PROGRAMS)).unwrap() + &text).unwrap();
        mine.display().to_string()
    };
    let outside = "a script inside a file reads only files below that file's folder; --data names another";
    run(&reads("link.bin")).refuses(&["cannot read link.bin: it is a link that leads out"]);
    run(&reads("../secret.bin")).refuses(&["cannot read ../secret.bin", outside]);
    run(&reads("/etc/passwd")).refuses(&["cannot read /etc/passwd", outside]);
    run(&reads("none.bin")).refuses(&["cannot read none.bin: No such file"]);
    // Beside the kernel, wherever the program is started; or where the user says.
    std::fs::write(inner.join("own.bin"), [0; 16]).unwrap();
    run(&reads("own.bin")).exits(0);
    run(&format!("{} --data {}", reads("secret.bin"), folder.display())).exits(0);
}

#[test]
fn each_launch_has_counts_of_its_own() {
    let launch = |blocks: u32| format!("//@ launch blockSums<<<{blocks}, 64>>> @in @sums i32:200\n");
    let buffers = "//@ buffer in = f32:iota*200\n//@ buffer sums = f32:uninit*4\n";
    let counts = |launches: &str| {
        let file = with_lines("counts", &format!("{buffers}{launches}"));
        let text = run(&file.display().to_string()).exits(0).stdout();
        let row = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{text}"));
            line[name.len()..].split_whitespace().map(str::to_string).collect::<Vec<_>>()
        };
        (row("counts"), row("barriers, by warp"))
    };
    let (title, one) = counts(&launch(1));
    assert_eq!((title, one.len()), (vec!["Nsight".to_string(), "Compute".into()], 1));
    let four = counts(&launch(4)).1;
    assert_ne!(one, four);
    let (titles, both) = counts(&(launch(1) + &launch(4)));
    assert_eq!(titles, ["blockSums", "blockSums", "Nsight", "Compute"]);
    assert_eq!(both, [one[0].clone(), four[0].clone()]);
    // Where the columns would not fit, the sum.
    let sum: u32 = 9 * one[0].parse::<u32>().unwrap();
    assert_eq!(counts(&launch(1).repeat(9)).1, [sum.to_string()]);
}

#[test]
fn two_buffers_of_arguments_need_names() {
    let launch = "//@ launch blockSums<<<1, 64>>> buf:f32:1*64 buf:f32:0 i32:64\n";
    let file = with_lines("names", &launch.repeat(2));
    run(&file.display().to_string())
        .refuses(&["two buffers are named 0", "name one of them with a line `buffer NAME = …`"]);
}

/// Cells of a notebook: each has its own launches, buffers and findings; another's run first if it needs
/// them.
#[test]
fn a_cell_is_run_and_shown_by_itself() {
    let lines = "//@ buffer in = f32:iota*200\n//@ buffer sums = f32:uninit*4\n\
                 //@ launch blockSums<<<4, 64>>> @in @sums i32:200\n// %% two\n\
                 //@ buffer in = f32:iota*60\n//@ launch blockSums<<<1, 64>>> @in buf:f32:uninit*1 \
                 i32:64\n// %%\n\
                 //@ launch blockSums<<<1, 64>>> @sums buf:f32:uninit*1 i32:4\n";
    let file = with_lines("cells", lines);
    let cell = |number: u32| run(&format!("{} --cell {number}", file.display()));
    let first = cell(1).exits(0).stdout();
    assert!(first.contains("sums: 4 elements of f32\n  [0]   2016.0  6112.0"), "{first}");
    assert!(first.contains("in: 200 elements") && !first.contains("argument 1"), "{first}");
    let second = cell(2).exits(1).stdout();
    assert!(second.contains("a load of 4 bytes at `in[60]`, and `in` has 60 elements"), "{second}");
    assert!(second.contains("in: 60 elements of f32") && !second.contains("sums:"), "{second}");
    let third = cell(3).exits(1).stdout();
    assert!(third.contains("1 error; cell 2, which runs before this one, was stopped"), "{third}");
    run(&format!("{} --cell 4", file.display())).refuses(&["cell 4 has no line `//@ launch …`"]);
    let whole = run(&file.display().to_string()).exits(1).stdout();
    assert!(whole.contains("in of cell 1: 200") && whole.contains("in: 60"), "{whole}");
}

/// The kernel's pointers are `float *`; nothing is checked of numbers that are read as others.
#[test]
fn elements_of_another_type_than_the_kernels_are_warned_of_at_the_launch() {
    let launch = "//@ launch blockSums<<<1, 64>>> @in buf:f32:uninit*1 i32:64\n";
    let file = with_lines("types", &format!("//@ buffer in = i32:1*64\n{launch}"));
    let line = std::fs::read_to_string(&file).unwrap().lines().count();
    let text = run(&file.display().to_string()).exits(0).stdout();
    let said = "argument 0 of blockSums is `const float *in`, and @in holds i32: write f32";
    let place = format!("--> {}:{line}\n", file.display());
    for part in [&*format!("warning[argument-type]: {said}\n"), &place, launch, "\n1 warning\n"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let json = run(&format!("{} --json", file.display())).exits(0).json();
    let found = &json["diagnostics"][0];
    assert_eq!((&found["line"], &found["severity"]), (&json!(line), &json!("warning")));
    assert_eq!((&found["message"], &json["ok"]), (&json!(said), &json!(true)));
    // What is not as expected is said first.
    let expected = "//@ buffer in = i32:1*64\n//@ buffer out = f32:uninit*1\n\
                    //@ launch blockSums<<<1, 64>>> @in @out i32:64\n//@ expect out = f32:64\n";
    let file = with_lines("types", expected);
    let text = run(&file.display().to_string()).exits(1).stdout();
    assert!(text.ends_with("\nthe results are not as expected; 1 warning\n"), "{text}");
    // Of a launch on the command line there is no line.
    let line = "--kernel blockSums --grid 1 --block 64 --arg buf:u32:1*64 --arg buf:f32:0 --arg i32:64";
    let text = run(&format!("{PROGRAMS} {line}")).exits(0).stdout();
    let said =
        "argument 0 of blockSums is `const float *in`, and its buffer holds u32: write f32\n\n1 warning\n";
    assert!(text.ends_with(said), "{text}");
}

#[test]
fn elements_that_no_launch_has_written_are_counted() {
    let last = |sums: &str, blocks: u32| {
        let lines = format!(
            "//@ buffer in = f32:iota*200\n//@ buffer sums = {sums}\n\
             //@ launch blockSums<<<{blocks}, 64>>> @in @sums i32:200\n"
        );
        let text = run(&with_lines("left", &lines).display().to_string()).exits(0).stdout();
        text.lines().last().unwrap().to_string()
    };
    assert_eq!(last("f32:uninit*4", 4), "ok: nothing is wrong");
    assert_eq!(last("f32:uninit*4", 3), "1 element of sums was never written; nothing else is wrong");
    assert_eq!(
        last("f32:uninit*2004", 4),
        "2,000 elements of sums were never written: 4 blocks of 64 are 256 threads, and sums has 2,004 \
         elements; nothing else is wrong"
    );
    assert_eq!(
        last("f32:zeros*4,uninit*9", 4),
        "ok: nothing is wrong",
        "the launch has written none of them"
    );
}

#[test]
fn one_element_where_many_are_needed_is_explained() {
    let line = "//@ launch blockSums<<<1, 64>>> @in buf:f32:uninit*1 i32:64\n";
    let help = |lines: &str| {
        let file = with_lines("one", &format!("{lines}{line}"));
        run(&file.display().to_string()).exits(1).stdout()
    };
    let text = help("//@ buffer in = f32:64\n");
    assert!(text.contains("; `f32:64` is one element, 64: write f32:zeros*64 for 64 elements\n"), "{text}");
    assert!(!help("//@ buffer in = f32:zeros*63\n").contains("is one element"));
}
