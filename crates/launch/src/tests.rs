//! The language, line by line and word by word.

use ptx_simulator::LaunchConfig;

use super::*;

fn number(text: &str) -> u64 {
    match Spec::parse(text, Scope::default()).unwrap_or_else(|error| panic!("{text}: {error}")).value {
        Value::Number(_, bits) => bits,
        _ => panic!("{text} is no number"),
    }
}

/// The pieces of a buffer that somebody has written, and of all others their lengths; `@N` is address N.
fn pieces(text: &str) -> Vec<Result<Vec<u8>, u64>> {
    let Value::Buffer(fill) =
        Spec::parse(text, Scope::default()).unwrap_or_else(|error| panic!("{text}: {error}")).value
    else {
        panic!("{text} is no buffer")
    };
    let address = |pointer: &Pointer| Ok(pointer.buffer.parse::<u64>()? + pointer.offset);
    let mut end = 0;
    let pieces = fill.pieces(&address).map(|piece| {
        let (start, len, bytes) = piece.unwrap();
        assert_eq!(start, end);
        end += len;
        bytes.ok_or(len)
    });
    pieces.collect()
}

/// The bytes of a buffer or a structure.
fn buffer(text: &str) -> Vec<u8> {
    match Spec::parse(text, Scope::default()).unwrap().value {
        Value::Struct(bytes, _) => bytes,
        _ => pieces(text).into_iter().map(Result::unwrap).collect::<Vec<_>>().concat(),
    }
}

fn refusal(text: &str) -> String {
    Spec::parse(text, Scope::default())
        .map_or_else(|error| error.to_string(), |spec| panic!("{text} is {spec:?}"))
}

fn script_refusal(text: &str) -> String {
    Script::parse(text, Scope::default()).unwrap_err().to_string()
}

#[test]
fn every_type_has_its_range_and_its_ends() {
    for (kind, least, most) in [
        ("i8", "-128", "127"),
        ("u8", "0", "255"),
        ("i16", "-32768", "32767"),
        ("u16", "0", "65535"),
        ("i32", "-2147483648", "2147483647"),
        ("u32", "0", "4294967295"),
        ("i64", "-9223372036854775808", "9223372036854775807"),
        ("u64", "0", "18446744073709551615"),
    ] {
        let low: i128 = least.parse().unwrap();
        let high: i128 = most.parse().unwrap();
        assert_eq!(number(&format!("{kind}:{least}")), low as u64);
        assert_eq!(number(&format!("{kind}:{most}")), high as u64);
        for beyond in [low - 1, high + 1, i128::MAX] {
            let said = refusal(&format!("{kind}:{beyond}"));
            assert!(said.contains(&format!("`{beyond}` is not a valid {kind}")), "{said}");
            assert!(said.contains(&format!("from {least} to {most}")), "{said}");
        }
    }
}

#[test]
fn whole_numbers_are_read_as_people_write_them() {
    for (text, expected) in [
        ("5", 5),
        ("-5", -5),
        ("+5", 5),
        ("0x1F", 31),
        ("-0x80", -128),
        ("0xff_ff", 65_535),
        ("1_000", 1000),
        ("2^20", 1 << 20),
        (" 7 ", 7),
    ] {
        assert_eq!(number(&format!("i32:{text}")), expected as i64 as u64, "{text}");
    }
    for wrong in ["", "-", "x", "0x", "0x-1", "0x_", "1.5", "1e-3", "--5", "5 6", "nan", "0b1", "٣"] {
        assert!(refusal(&format!("i32:{wrong}")).contains("is not a valid i32"), "{wrong}");
    }
}

#[test]
fn floats_are_read_with_their_special_values() {
    let f32 = |text: &str| f32::from_bits(number(&format!("f32:{text}")) as u32);
    assert_eq!((f32("5"), f32("-1.5e3"), f32("1_000.5")), (5.0, -1500.0, 1000.5));
    assert_eq!(f32("1e-45").to_bits(), 1, "the smallest denormal");
    assert_eq!(f32("-0").to_bits(), 1 << 31);
    assert_eq!((f32("inf"), f32("-inf")), (f32::INFINITY, f32::NEG_INFINITY));
    assert!(f32("nan").is_nan() && f32("NaN").is_nan());
    assert_eq!(f32("0e9"), 0.0);
    assert_eq!(f64::from_bits(number("f64:5e-324")).to_bits(), 1);
    assert_eq!(f64::from_bits(number("f64:1e39")), 1e39);
    assert!(refusal("f32:1e39").contains("`1e39` is too large for f32; write inf"));
    assert!(refusal("f64:-1e309").contains("too large for f64"));
    assert!(refusal("f32:1e-46").contains("`1e-46` is too close to zero for f32"));
    for wrong in ["", "0x10", "1,5", "1e", "pi"] {
        assert!(refusal(&format!("f32:{wrong}")).contains("is not a valid f32"), "{wrong}");
    }
}

#[test]
fn a_buffer_is_a_list_of_parts() {
    assert_eq!(buffer("buf:i32:1,-2, 3"), [1i32, -2, 3].map(i32::to_le_bytes).concat());
    assert_eq!(buffer("buf:f32:0.5,nan").len(), 8);
    assert_eq!(buffer("buf:f32:zeros*3"), [0; 12]);
    assert_eq!(buffer("buf:i16:-1*2"), [0xff; 4]);
    assert_eq!(buffer("buf:u8:iota*256"), (0..=255).collect::<Vec<u8>>());
    assert_eq!(buffer("buf:f64:iota*3"), [0.0, 1.0, 2.0].map(f64::to_le_bytes).concat());
    assert_eq!(buffer("buf:f16:1.5,-2"), [0, 0x3e, 0, 0xc0]);
    assert_eq!(buffer("buf:bf16:1*2"), [0x80, 0x3f, 0x80, 0x3f]);
    assert_eq!(buffer("buf:u16:iota:3*3"), [3, 0, 4, 0, 5, 0]);
    assert_eq!(pieces("buf:i64:uninit*2^10"), [Err(8192)]);
    for empty in ["buf:i32:", "buf:i32:zeros*0", "buf:f32:iota*0"] {
        assert!(buffer(empty).is_empty(), "{empty}");
    }
    let parts = pieces("buf:u8:7,uninit*2,iota*3,5*2,uninit*1");
    assert_eq!(parts, [Ok(vec![7]), Err(2), Ok(vec![0, 1, 2]), Ok(vec![5, 5]), Err(1)]);
    assert_eq!(buffer("buf:ptr:@100,@200+16"), [100u64, 216].map(u64::to_le_bytes).concat());
    let long = pieces("buf:i32:5*2^21");
    assert_eq!((long.len(), long.into_iter().flat_map(Result::unwrap).map(u64::from).sum()), (2, 5 << 21));
}

#[test]
fn a_file_holds_whole_elements() {
    let path = std::env::temp_dir().join(format!("workbook-fill-{}", std::process::id()));
    std::fs::write(&path, [1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(buffer(&format!("buf:i16:file={}", path.display())), [1, 2, 3, 4, 5, 6]);
    let said = refusal(&format!("buf:i32:file={}", path.display()));
    assert!(said.ends_with("has 6 bytes, which is not a whole number of elements of i32"), "{said}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn random_data_depends_on_the_seed_alone() {
    assert_eq!(buffer("buf:f32:random*100"), buffer("buf:f32:random:1*100"));
    assert_eq!(buffer("buf:f32:random:2*100"), buffer("buf:f32:random:2*200")[..400]);
    assert_ne!(buffer("buf:f32:random:2*100"), buffer("buf:f32:random:3*100"));
    let unsigned = buffer("buf:u8:random:7*1000");
    assert!(unsigned.iter().all(|byte| *byte <= 100) && unsigned.contains(&100) && unsigned.contains(&0));
    let signed = buffer("buf:i8:random*1000");
    assert!(
        signed.iter().all(|byte| (-100..=100).contains(&(*byte as i8))) && signed.contains(&(-99i8 as u8))
    );
}

#[test]
fn a_structure_has_its_fields_where_a_compiler_has_them() {
    assert_eq!(buffer("struct:i32:1,2,3"), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(buffer("struct:u8:1,u16:2,f32:1"), [1, 0, 2, 0, 0, 0, 0x80, 0x3f]);
    assert_eq!(buffer("struct:i64:1,u8:2").len(), 16);
    let Value::Struct(matrix, pointers) =
        Spec::parse("struct:i32:16,16,ptr:@a", Scope::default()).unwrap().value
    else {
        panic!()
    };
    assert_eq!((matrix.len(), pointers[0].0), (16, 8));
    let Value::Pointer(pointer) = Spec::parse("@a+8", Scope::default()).unwrap().value else { panic!() };
    assert_eq!((pointer.buffer.as_str(), pointer.offset), ("a", 8));
}

#[test]
fn what_is_no_argument_is_refused_by_name() {
    for (text, part) in [
        ("5", "`5` has no type; write i32:5"),
        ("buf", "`buf` is not an argument; write @buf"),
        ("buf:i32", "`i32`: the elements are missing"),
        ("int:5", "`int` is not a type here; write i32"),
        ("i33:5", "`i33` is not a type here; write i32"),
        ("word:5", "`word` is not a type; there are i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 ptr"),
        ("buf:f8:1", "`f8` is not a type"),
        ("f16:65520", "`65520` is too large for f16"),
        ("struct:1", "the first field needs a type, like i32:1"),
        ("bytes:123", "`bytes` is not a type"),
        ("buf:ptr:5", "`5` is not a ptr"),
        ("ptr:0", "write @ and a buffer"),
        ("buf:i32:random:x*4", "`random:x` is not random data"),
        ("buf:i32:random:1:5*4", "write random or random:SEED before *"),
        ("buf:i32:iota:x*4", "write iota or iota:FIRST"),
        ("buf:u8:iota:250*7", "counts to 256, and u8 holds whole numbers to 255"),
        ("buf:i32:file=none.bin", "cannot read none.bin"),
        ("buf:i32:file=none.npy", "none.npy: files hold raw bytes"),
        ("buf:i32:file=.", "cannot read .: it is not a file but a directory"),
        ("buf:i32:1,,2", "`` is not a valid i32"),
        ("buf:u8:1,256", "`256` is not a valid u8"),
        ("buf:i32:ones*4", "before * may also stand zeros, iota, random or uninit"),
        ("buf:i32:zeros*-1", "0 to 17,179,869,184 elements of i32, 68,719,476,736 bytes"),
        ("buf:u8:zeros*68719476737", "0 to 68,719,476,736 elements of u8"),
        ("buf:f64:uninit*99999999999999999999999", "0 to 8,589,934,592 elements of f64"),
        ("buf:f64:uninit*2^63", "0 to 8,589,934,592 elements of f64"),
        ("buf:i32:zeros*", "the number after *"),
        ("buf:u8:iota*257", "counts to 256, and u8 holds whole numbers to 255"),
        ("buf:i8:iota*2^8", "counts to 255, and i8 holds whole numbers to 127"),
        ("buf:f32:iota*16777218", "counts to 16,777,217, and f32 holds whole numbers to 16777216"),
    ] {
        let said = refusal(text);
        assert!(said.contains(part), "{text}: no {part:?} in {said}");
    }
}

#[test]
fn a_script_is_read_line_by_line() {
    let text = "# two kernels\nbuffer in = i32:iota*8\nbuffer out=i32:uninit*1  # one\n\n\
                launch sum<<<2,1, 4, 64>>> @in @out i32:8\nlaunch <<<1,2^5>>> @out\n\
                expect out = i32:28\nexpect @in=f32:0.5 within 1e-5\nsave out = out.bin\n";
    let script = Script::parse(text, Scope::default()).unwrap();
    assert_eq!((script.buffers.len(), script.steps.len()), (2, 5));
    let launches: Vec<&Launch> = script.launches().collect();
    assert_eq!(launches[0].kernel.as_deref(), Some("sum"));
    let config = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (4, 1, 1), shared_mem_bytes: 64 };
    assert_eq!((launches[0].config, launches[0].args.len()), (config, 3));
    assert_eq!((launches[1].kernel.clone(), launches[1].config), (None, LaunchConfig::new(1, 32)));
    assert!(matches!(&script.steps[3], Step::Check { within: 1e-5, .. }));
    assert_eq!(script.places[2], Place { line: 7, cell: 1 });
}

#[test]
fn sizes_may_be_written_as_in_cuda() {
    let config = |sizes: &str| {
        let launch = Launch::parse(&format!("k<<<{sizes}>>> @in"), Scope::default());
        launch.unwrap_or_else(|error| panic!("{sizes}: {error}")).config
    };
    let two = LaunchConfig { grid_dim: (2, 2, 1), block_dim: (32, 8, 1), shared_mem_bytes: 0 };
    for sizes in [
        "dim3(2, 2), dim3(32, 8)",
        "(2,2), (32,8)",
        "2,2, 32,8",
        "dim3(2,2),dim3(32,8)",
        "(2, 2), (32, 8), 0, 0",
    ] {
        assert_eq!(config(sizes), two, "{sizes}");
    }
    let with = |grid_dim, block_dim, shared_mem_bytes| LaunchConfig { grid_dim, block_dim, shared_mem_bytes };
    for (sizes, expected) in [
        ("4, 256", with((4, 1, 1), (256, 1, 1), 0)),
        ("4,256", with((4, 1, 1), (256, 1, 1), 0)),
        ("4,256,64", with((4, 1, 1), (256, 1, 1), 64)),
        ("1000 / 256, 256", with((3, 1, 1), (256, 1, 1), 0)),
        ("(1000 + 255) / 256, 256", with((4, 1, 1), (256, 1, 1), 0)),
        (" dim3(2) , dim3(8, 8, 2) , 4 * 64 ", with((2, 1, 1), (8, 8, 2), 256)),
        ("(2*3), max(4, 8)", with((6, 1, 1), (8, 1, 1), 0)),
        ("2,2, 4,4,64", with((2, 2, 1), (4, 4, 64), 0)),
    ] {
        assert_eq!(config(sizes), expected, "{sizes}");
    }
    let launch = "k<<<1, 8>>> @in i32:8;";
    assert_eq!(Launch::parse(launch, Scope::default()).unwrap().args.len(), 2, "a line of C++ ends so");
}

/// Four cells: the second one's buffer has the name of the first one's, and the fourth works on the third's.
const CELLS: &str = "//@ buffer out = i32:1\n//@ launch a<<<1, 1>>> @out buf:i32:7\n// %% two\n\
    //@ buffer out = i32:2,3\n//@ launch b<<<1, 1>>> @out buf:i32:8\n//@ expect out = i32:2,3\n//%%\n\
    //@ buffer in = ptr:@out\n//@ launch c<<<1, 1>>> @in\n// %%\n//@ launch d<<<1, 1>>> @in\n// %%\nint x;\n";

#[test]
fn a_later_cell_takes_a_name_from_an_earlier_one() {
    let script = Script::parse(&in_comments(CELLS), Scope::default()).unwrap();
    let buffers: Vec<_> = script.buffers.iter().map(|buffer| (&*buffer.name, buffer.cell)).collect();
    let is = [("out of cell 1", 1), ("argument 1 of cell 1", 1), ("out", 2), ("1", 2), ("in", 3)];
    assert_eq!(buffers, is);
    let cells: Vec<usize> = script.places.iter().map(|place| place.cell).collect();
    assert_eq!((cells, script.places[1].line), (vec![1, 2, 2, 3, 4], 5));
    let first = script.launches().next().unwrap();
    assert!(matches!(&first.args[0].value, Value::Pointer(to) if to.buffer == "out of cell 1"));
}

#[test]
fn a_cell_has_its_own_steps_and_those_that_it_needs() {
    let of = |cell, needs_all| {
        let script = Script::parse(&down_to_cell(&in_comments(CELLS), cell), Scope::default()).unwrap();
        let (script, shown) = script.of_cell(cell, needs_all).unwrap();
        let launches: Vec<String> = script.launches().map(|launch| launch.kernel.clone().unwrap()).collect();
        (launches.concat(), script.before, script.own_launches().count(), shown.join(" "))
    };
    let is =
        |launches: &str, before, own, shown: &str| (launches.to_string(), before, own, shown.to_string());
    assert_eq!(of(1, false), is("a", 0, 1, "out 1"));
    assert_eq!(of(2, false), is("b", 0, 1, "out 1"));
    assert_eq!(of(2, true), is("ab", 1, 1, "out 1"), "the file has variables");
    assert_eq!(of(3, false), is("abc", 3, 1, "in out"), "a pointer to another cell's buffer");
    assert_eq!(of(4, false), is("abcd", 4, 1, "in"));
    let script = Script::parse(&in_comments(CELLS), Scope::default()).unwrap();
    let nothing = script.of_cell(5, false).unwrap_err().to_string();
    assert_eq!(nothing, "cell 5 has no line `//@ launch …`");
}

#[test]
fn a_launch_may_say_its_clusters() {
    let launch = |text| Launch::parse(text, Scope::default()).unwrap();
    let some = launch("sum<<<8, 32>>> cluster=2,2 @in i32:8");
    assert_eq!((some.cluster, some.args.len()), (Some((2, 2, 1)), 2));
    let none = launch("sum<<<8, 32>>> @in i32:8");
    assert_eq!((none.cluster, none.args.len()), (None, 2));
    assert!(
        Launch::parse("sum<<<8, 32>>> cluster= @in", Scope::default())
            .unwrap_err()
            .to_string()
            .contains("X[,Y[,Z]]")
    );
}

#[test]
fn sizes_may_be_expressions_and_arguments_may_make_buffers() {
    let names: Names = &[("n", 1000), ("block", 96)];
    let text = "buffer in = i32:iota*n\n\
        launch sum<<<max(7, ceil_div(n, 4*block)), block>>> @in buf:i32:zeros*ceil_div(n,block) u32:n";
    let script = Script::parse(text, Scope::of(names)).unwrap();
    let launch = script.launches().next().unwrap();
    assert_eq!(launch.config, LaunchConfig::new(7, 96));
    assert_eq!(script.buffers.iter().map(|buffer| buffer.fill.count()).collect::<Vec<_>>(), [1000, 11]);
    assert!(matches!(&launch.args[1].value, Value::Pointer(to) if to.buffer == "1"));
    assert!(matches!(launch.args[2].value, Value::Number(Type::Unsigned(32), 1000)));
    assert!(
        Script::parse(text, Scope::of(&[("n", 5)]))
            .unwrap_err()
            .to_string()
            .starts_with("2: `max(7,ceil_div(n,4*block))`: block is no constant of this file")
    );
}

#[test]
fn a_blank_before_the_mark_changes_nothing() {
    let source = "/// @param launch of none\n  // @ launch k<<<1, 2>>>\n// @buffer in = i32:1\n// @brief";
    assert_eq!(in_comments(source), "\n launch k<<<1, 2>>>\nbuffer in = i32:1\n\n");
}

#[test]
fn a_wrong_line_is_named() {
    for (text, part) in [
        ("\nfree in", "2: `free` is not a step; there are buffer"),
        ("launch sum<<<1>>>", "1: `<<<1>>>`: the threads per block are missing; write <<<1, 256>>>"),
        ("launch sum<<<1, -1>>>", "`-1` is not a size"),
        ("buffer in i32:1", "an = is missing; write in = i32:1"),
        ("buffer in = 5", "`5` has no type; write i32:5"),
        ("launch sum<<<1, 2, 3, 4>>>", "several dimensions are written <<<dim3(1, 2), dim3(3, 4)>>>"),
        ("launch sum<<<1, 2, 0, 4>>>", "`4`: there are no streams here"),
        ("launch sum<<<1, 2, x>>>", "`x` is not a number of bytes of shared memory"),
        ("launch sum<<<>>>", "the threads per block are missing; write <<<1, 256>>>"),
        ("launch sum>>>1, 2<<<", "the threads per block are missing; write sum<<<1, 256>>>"),
        ("launch", "the kernel is missing; write launch KERNEL<<<1, 256>>>"),
        ("buffer", "write a name, = and what it is"),
        ("buffer = i32:1", "`` is not a name"),
        ("buffer a+1 = i32:1", "`a+1` is not a name"),
        ("save = x.bin", "`` is not a name"),
        ("expect in = f32:1 within x", "`x` is not a number"),
        ("expect in = f32:1 within -1", "`-1` is not a number"),
        ("expect in = f32:1 within nan", "`nan` is not a number"),
    ] {
        let said = script_refusal(text);
        assert!(said.contains(part), "{text}: no {part:?} in {said}");
    }
}

#[test]
fn sizes_have_one_to_three_parts() {
    let sizes = |text| dimensions(text, &[]);
    assert_eq!(sizes("2^10").unwrap(), (1024, 1, 1));
    assert_eq!(sizes("16,8").unwrap(), (16, 8, 1));
    assert_eq!(sizes("2, 3, 4").unwrap(), (2, 3, 4));
    for wrong in ["", "-1", "1,2,3,4", "1,,2", "4294967296", "1.5", "x"] {
        assert!(sizes(wrong).unwrap_err().to_string().contains("X[,Y[,Z]]"), "{wrong}");
    }
}

/// A search through all for each of them would take half a minute.
#[test]
fn each_of_very_many_buffers_is_found_by_its_name() {
    const COUNT: usize = 100_000;
    let text: String = (0..COUNT).map(|number| format!("buffer b{number} = i32:{number}\n")).collect();
    let script = Script::parse(&text, Scope::default()).unwrap();
    for number in 0..COUNT {
        assert_eq!(script.buffer(&format!("b{number}")).unwrap(), number);
    }
    let again = Script::parse(&format!("{text}buffer b7 = i32:0"), Scope::default()).unwrap_err();
    assert!(again.to_string().contains("two buffers are named b7"), "{again}");
}

/// What buffer 0 of a script is: rows and columns, and elements.
fn shape_of(script: &str) -> (Option<(u64, u64)>, u64) {
    let script = Script::parse(script, Scope::default()).unwrap_or_else(|error| panic!("{script}: {error}"));
    let Named { fill, .. } = &script.buffers[0];
    (fill.shape.map(|shape| (shape.rows, shape.columns)), fill.count())
}

#[test]
fn a_buffer_may_say_its_rows_and_columns() {
    assert_eq!(shape_of("buffer x = f32:zeros*6"), (None, 6));
    assert_eq!(shape_of("buffer x = f32 64x48"), (Some((64, 48)), 3072));
    assert_eq!(shape_of("buffer x = f32 2x3:1,2,3,4,5,6"), (Some((2, 3)), 6));
    assert_eq!(shape_of("buffer x = i32 2x2^3 : 7"), (Some((2, 8)), 16));
    for elements in ["zeros", "iota", "iota:1", "random", "random:7", "0.5", "uninit", "zeros*12"] {
        assert_eq!(shape_of(&format!("buffer x = f32 3x4:{elements}")), (Some((3, 4)), 12), "{elements}");
    }
    for (text, part) in [
        ("buffer x = f32 64x", "1: `64x` is not rows and columns; write them like 64x48"),
        ("buffer x = f32 0x4", "is not rows and columns"),
        ("buffer x = f32 2x3:1,2", "1: 2 rows of 3 are 6 elements, and 2 are given"),
        ("buffer x = f33 2x3", "f33"),
    ] {
        let said = script_refusal(text);
        assert!(said.contains(part), "{text}: {said}");
    }
}

#[test]
fn a_launch_of_two_dimensions_says_rows_and_columns() {
    let shape = |launch: &str| {
        let text = format!("buffer x = f32:zeros*6144\nlaunch k<<<{launch}");
        let script = Script::parse(&text, Scope::default()).unwrap();
        let shape = drawn::shape_of_launch(&script, "x", 6144)?;
        Some((shape.rows, shape.columns))
    };
    assert_eq!(shape("dim3(3, 2), dim3(32, 32)>>> @x"), Some((64, 96)));
    // The last blocks have threads to spare.
    assert_eq!(shape("dim3(2, 3), dim3(64, 24)>>> @x i32:96 i32:64"), Some((64, 96)));
    assert_eq!(shape("dim3(4, 2), dim3(32, 32)>>> @x i32:64"), None);
    assert_eq!(shape("24, 256>>> @x"), None);
    assert_eq!(shape("dim3(3, 2), dim3(32, 32)>>> buf:f32:zeros*6144"), None);
}

#[test]
fn a_buffer_may_be_expected_to_hold_what_another_one_holds() {
    let text = "buffer a = f32:1\nbuffer b = f32:2\nexpect b = @a within 1e-3\nexpect @a=@b";
    let script = Script::parse(text, Scope::default()).unwrap();
    let Step::Same { name, other, within: 1e-3 } = &script.steps[0] else { panic!("{:?}", script.steps) };
    assert_eq!((name.as_str(), other.as_str()), ("b", "a"));
    assert!(script.steps.iter().all(|step| step.compared().is_some() && step.names().len() == 2));
    assert!(script_refusal("expect b = @a+4").contains("whole buffers are compared; write @a"));
}
