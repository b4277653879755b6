//! What is proposed, as a table: a source, what was found in it, and the edits in their order.

use super::Mistake::{Copy, Divergence, OutOfBounds, Race, Uninitialized};
use super::Sides::{Block, Blocks, Cluster, Family, Grids, Lanes, Lock, Writers};
use super::*;

mod slips;

/// A kernel with this body, whose first line is line 2.
fn kernel(body: &str) -> String {
    format!("__global__ void k(int *out, const int *in, int n) {{\n{body}\n}}\n")
}

fn proposed(source: &str, mistake: Mistake, lines: &[u32]) -> Vec<Candidate> {
    let limits = vec!["n".to_string()];
    let shapes = vec![("m".to_string(), "n".to_string())];
    candidates(source, &Finding { mistake, lines: lines.to_vec(), limits, shapes })
}

/// `source` with the changes of a candidate, which a page would apply.
fn changed(source: &str, candidate: &Candidate) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_string).collect();
    for Change { line, removed, text } in candidate.changes(source).into_iter().rev() {
        let at = line as usize - 1;
        let new = text.iter().flat_map(|text| text.lines()).map(str::to_string);
        lines.splice(at..at + removed as usize, new);
    }
    lines.join("\n") + "\n"
}

#[test]
fn an_index_is_mended_before_anything_else() {
    let grid = "int i = blockIdx.x * gridDim.x + threadIdx.x;\nout[i] = 1;";
    let block = "int i = threadIdx.x;\nout[i] = 1;";
    let step = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
                for (; i < n; i += blockDim.x) out[i] += 1;";
    let row = "for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x] += 1;";
    let matrix = "int x = threadIdx.x, y = threadIdx.y + blockIdx.y;\nout[x * n + y] = in[x * n + y];";
    let whole = "blockIdx.x * blockDim.x + threadIdx.x";
    let first = |body: &str, mistake: Mistake, line: u32| {
        let edits = proposed(&kernel(body), mistake, &[line]);
        edits.into_iter().map(|edit| edit.says).collect::<Vec<_>>()
    };
    let put = |text: &str, line: u32, old: &str| format!("put `{text}` in line {line}, in place of `{old}`");
    for mistake in [Race(Writers), Race(Blocks), OutOfBounds] {
        let of_grid = put("blockIdx.x * blockDim.x", 2, "blockIdx.x * gridDim.x");
        assert_eq!(first(grid, mistake, 3)[0], of_grid);
        assert_eq!(first(block, mistake, 3)[0], put(whole, 2, "threadIdx.x"));
        assert_eq!(first(step, mistake, 3)[0], put("blockDim.x * gridDim.x", 3, "blockDim.x"));
        assert!(!first(row, mistake, 2).iter().any(|says| says.contains("gridDim")));
        let once = put("y * n + x", 3, "x * n + y");
        let [one, other, both, ..] = &first(matrix, mistake, 3)[..] else { panic!("too few") };
        assert_eq!([one, other], [&once, &once]);
        assert_eq!(*both, format!("together: {once}; and {once}"));
    }
}

#[test]
fn a_write_below_a_condition_is_one_of_several_outcomes() {
    let selects = |body: &str, line: u32| {
        let all = proposed(&kernel(body), Race(Writers), &[line]);
        let guard = all.into_iter().find(|edit| edit.says.starts_with("let one thread write")).unwrap();
        guard.selects
    };
    assert!(!selects("out[blockIdx.x] = in[0];", 2));
    assert!(selects("if (in[threadIdx.x] == 7)\nout[0] = threadIdx.x;", 3));
    assert!(selects("out[0] = in[out[0]];", 2));
}

#[test]
fn zeros_fill_what_is_added_up_and_no_minimum() {
    let body = |step: &str| format!("__shared__ int s[32];\nif (t < n) s[t] = in[t];\n{step}\nx = s[t];");
    let fills = |step: &str| {
        let all = proposed(&kernel(&body(step)), Uninitialized, &[5]);
        all.iter().any(|edit| edit.says.starts_with("let every thread write"))
    };
    assert!(fills("s[t] += s[t + 1];"));
    assert!(fills("if (s[t] > 0) x = 1;"));
    assert!(!fills("s[t] = min(s[t], s[t + 1]);"));
    assert!(!fills("if (s[t + 1] < s[t]) s[t] = s[t + 1];"));
}

#[test]
fn memory_that_is_only_added_to_is_set_to_zero_where_it_is_allocated() {
    let host = |call: &str| kernel("atomicAdd(out, 1);") + &format!("int main() {{\n{call}\n}}\n");
    let first = |call: &str| {
        let source = host(call);
        let all = proposed(&source, Uninitialized, &[2, 5]);
        let first = all.into_iter().find(|edit| edit.says.starts_with("put `cudaMemset"))?;
        let edit = &first.edits[0];
        let text = source[..edit.range.start].to_string() + &edit.text + &source[edit.range.end..];
        Some((first.says, text.lines().nth(4).unwrap().to_string()))
    };
    let says = |says: &str, text: &str| Some((says.to_string(), text.to_string()));
    let set = "put `cudaMemset(sum, 0, n * sizeof(int));` after line 5";
    for call in ["cudaMalloc(&sum, n * sizeof(int));", "CHECK(cudaMalloc((void **)&sum, n * sizeof(int)));"] {
        assert_eq!(first(call), says(set, &format!("{call} cudaMemset(sum, 0, n * sizeof(int));")));
    }
    assert_eq!(first("cudaMalloc(&sum, "), None);
    let only_read = kernel("x = out[t];") + "int main() {\ncudaMalloc(&sum, 4);\n}\n";
    assert!(proposed(&only_read, Uninitialized, &[2, 5]).is_empty());
}

#[test]
fn elements_beyond_the_ends_are_read_as_0_or_as_the_nearest() {
    let of = |body: &str| {
        let all = proposed(&kernel(body), OutOfBounds, &[2]);
        let says = all.into_iter().map(|edit| edit.says).filter(|says| says.starts_with("read"));
        says.collect::<Vec<_>>()
    };
    let zeros = "read 0 where there is no element: put";
    let nearest = "read the nearest element where there is none: put";
    assert_eq!(
        of("out[i] = in[i - 1] + in[i] + in[i + 1];"),
        [
            format!("{zeros} `(i >= 1 ? in[i - 1] : 0)` in line 2, `(i + 1 < n ? in[i + 1] : 0)` in line 2"),
            format!("{nearest} `in[max(i - 1, 0)]` in line 2, `in[min(i + 1, n - 1)]` in line 2"),
        ]
    );
    let tiles = "a[y][x] = in[row * n + (t + 1) * 16 + x];\nb[y][x] = in[(t * 16 + y) * n + col];";
    let first = "`(row < m && (t + 1) * 16 + x < n ? in[row * n + (t + 1) * 16 + x] : 0)` in line 2";
    let second = "`((t * 16 + y) < m && col < n ? in[(t * 16 + y) * n + col] : 0)` in line 3";
    assert_eq!(of(tiles)[0], format!("{zeros} {first}, {second}"));
    assert!(of("out[i + 1] = in[i];").is_empty());
}

#[test]
fn the_width_of_a_row_may_be_in_bytes() {
    let all = proposed(&kernel("out[y * pitch + x] *= 2;"), OutOfBounds, &[2]);
    let last = all.last().unwrap();
    let says = "count elements, not bytes: put `(pitch / sizeof(out[0]))` in line 2, in place of `pitch`";
    assert_eq!((&*last.says, &*last.edits[0].text), (says, "(pitch / sizeof(out[0]))"));
}

#[test]
fn an_element_is_looked_at_and_taken_in_one_step() {
    let first = |body: &str| proposed(&kernel(body), Race(Writers), &[3]).into_iter().next().unwrap();
    for (condition, free) in [("out[v] == -1", "-1"), ("!out[v]", "0")] {
        let body = format!("if ({condition}) {{\nout[v] = level + 1;\nin[0] = v;\n}}");
        let claim = first(&body);
        let asks = format!("atomicCAS(&out[v], {free}, level + 1) == {free}");
        let says = format!(
            "look and write in one step: put `if ({asks})` in line 2, and leave out the write in line 3"
        );
        assert_eq!(claim.says, says);
        let texts: Vec<&str> = claim.edits.iter().map(|edit| &*edit.text).collect();
        assert_eq!(texts, [&*asks, ";"]);
    }
    for other in ["if (out[v] == 0) {\nout[w] = 1;\n}", "if (out[v] == 0 && n > 3) {\nout[v] = 1;\n}"] {
        assert!(!first(other).says.starts_with("look"), "{other}");
    }
}

#[test]
fn the_edits_of_a_finding_in_their_order() {
    let cases: [(&str, Mistake, &[u32], &[&str]); 20] = [
        (
            "__pipeline_memcpy_async(s, in, 4);\n__pipeline_commit();\n__syncthreads();\nx = s[0];",
            Copy,
            &[5, 2],
            &["put `__pipeline_wait_prior(0);` before line 4"],
        ),
        (
            "if (n)\n__pipeline_memcpy_async(s, in, 4);\nx = s[0];",
            Copy,
            &[4, 3],
            &[
                "put `__pipeline_wait_prior(0);` before line 4",
                "put `__pipeline_commit(); __pipeline_wait_prior(0);` before line 4",
                "put `__pipeline_wait_prior(0); __syncthreads();` before line 4",
                "put `__pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();` before line 4",
            ],
        ),
        (
            "for (;;) {\n__pipeline_memcpy_async(s, in, 4);\nx = s[0];\n__pipeline_wait_prior(2);\n\
             __pipeline_commit();\n}",
            Copy,
            &[4, 3],
            &[
                "move `__pipeline_commit();` from line 6 to before line 5",
                "put `__pipeline_wait_prior(1);` in line 5, in place of `__pipeline_wait_prior(2);`",
                "put `__pipeline_wait_prior(0);` in line 5, in place of `__pipeline_wait_prior(2);`",
            ],
        ),
        (
            "    s[t] = in[t];\n    int x = 1;\n    out[t] = s[t + 1];",
            Race(Block),
            &[4, 2],
            &["put `__syncthreads();` before line 4", "put `__syncthreads();` after line 2"],
        ),
        (
            "for (;;) {\n    s[t] = in[t];\n    __syncthreads();\n    x += s[0];\n}",
            Race(Block),
            &[3, 5],
            &[
                "put `__syncthreads();` at the end of the loop's body, after line 5",
                "put `__syncthreads();` at the start of the loop's body, before line 3",
                "put `__syncthreads();` before line 5",
            ],
        ),
        (
            "if (t < 8) {\n    s[t] = 1;\n    x = s[t ^ 1];\n}",
            Race(Lanes),
            &[4, 3],
            &["put `__syncwarp();` before line 4", "put `__syncthreads();` before line 4"],
        ),
        (
            "s[t] += s[t + 2];\ns[t] += s[t + 1];\nx = 0;",
            Race(Lanes),
            &[3, 2],
            &["put `__syncwarp();` after each of lines 2 to 3"],
        ),
        (
            "cg::cluster_group all = cg::this_cluster();\ns = 1;\nx = *all.map_shared_rank(&s, 1);",
            Race(Cluster),
            &[4, 3],
            &["put `all.sync();` before line 4"],
        ),
        ("*out += in[t];", Race(Block), &[2, 2], &["put `atomicAdd(out, in[t]);` in line 2"]),
        ("out[in[t]]--;", Race(Blocks), &[2, 2], &["put `atomicAdd(&out[in[t]], -1);` in line 2"]),
        (
            "*out = in[0];",
            Race(Writers),
            &[2, 2],
            &[
                "let one thread write: put `if (threadIdx.x == 0)` before line 2",
                "let one thread write: put `if (blockIdx.x == 0 && threadIdx.x == 0)` before line 2",
                "put `atomicExch(out, in[0]);` in line 2",
            ],
        ),
        ("atomicAdd_block(out, 1);", Race(Blocks), &[2, 2], &["leave `_block` out of the atomic's name"]),
        (
            "if (n) {\n*out = 1;\natomicExch(flag, 1);\n} else {\n\
             while (atomicAdd(flag, 0) == 0) {}\nx = *out;\n}",
            Race(Blocks),
            &[7, 3],
            &[
                "put `__threadfence();` after line 3",
                "put `__threadfence();` after line 6",
                "put `__threadfence();` after line 3 and after line 6",
            ],
        ),
        (
            "if (t < 8) {\n    x = 1;\n    __syncthreads();\n}",
            Divergence,
            &[4, 2],
            &["move `__syncthreads();` from line 4 to after the branch of line 2"],
        ),
        (
            "for (int i = 0; i <= n; i++) x += in[i];",
            OutOfBounds,
            &[2],
            &["put `<` in place of `<=` in line 2", "put `if (i < n)` before `x += in[i];` in line 2"],
        ),
        (
            "out[t] = in[t - 1];",
            OutOfBounds,
            &[2],
            &["put `if (t < n)` before line 2", "put `if (t >= 1)` before"],
        ),
        (
            "__shared__ int s[32];\nif (t < n) s[t] = in[t];\nx = s[t];",
            Uninitialized,
            &[4],
            &[
                "let every thread write: `s[t] = t < n ? in[t] : 0;` in line 3",
                "put `for (int i = threadIdx.x; i < 32;",
            ],
        ),
        (
            "unsigned int s[32];\ns[t] = in[t];\n__syncthreads();\nout[0] = s[1];",
            Uninitialized,
            &[5],
            &["declare `s` as `__shared__` in line 2, for all threads of the block"],
        ),
        ("int sum;\nsum += in[t];", Uninitialized, &[3], &["give `sum` a first value: `sum = 0` in line 2"]),
        (
            "out[t] = 1;\nif (t == 0) k<<<1, 1>>>(out, in, 0);",
            Race(Family),
            &[2, 2],
            &["put `__syncthreads();` before line 3, which launches the child"],
        ),
    ];
    for (body, mistake, lines, expected) in cases {
        let source = kernel(body);
        let says: Vec<String> = proposed(&source, mistake, lines).into_iter().map(|one| one.says).collect();
        let as_expected = says.len() >= expected.len()
            && says.iter().zip(expected).all(|(is, expected)| is.starts_with(expected));
        assert!(as_expected, "{body}\n{says:#?}");
    }
}

#[test]
fn an_edit_keeps_the_lines_for_a_try_and_gets_its_own_for_a_reader() {
    let source = kernel("    s[t] = in[t]; // own\n    #pragma unroll\n    for (;;)\n        x += s[t + 1];");
    let first = &proposed(&source, Race(Block), &[5, 2])[0];
    assert_eq!(first.tried(&source), source.replace("in[t]; //", "in[t]; __syncthreads(); //"));
    assert_eq!(changed(&source, first), source.replace("// own\n", "// own\n    __syncthreads();\n"));
    assert_eq!(first.changes(&source).len(), 1);
}

#[test]
fn statements_without_braces_get_them() {
    let source = kernel("for (int i = 0; i < n; i++)\n    if (t < i)\n        s[t] += s[t + i];\nx = 1;");
    let first = &proposed(&source, Race(Block), &[4, 4])[0];
    let says = "put `__syncthreads();` at the end of the loop's body, after line 4, with braces around both";
    assert_eq!(first.says, says);
    let with_braces =
        source.replace("    if (t < i)", "    { if (t < i)").replace("+ i];", "+ i]; __syncthreads(); }");
    assert_eq!(first.tried(&source), with_braces);
    assert_eq!(changed(&source, first), with_braces);
    let source = kernel("if (n) *out = 1; else *out = 2;");
    let guarded = &proposed(&source, Race(Writers), &[2, 2])[0];
    let tried = guarded.tried(&source);
    assert!(tried.contains("if (n) { if (threadIdx.x == 0) *out = 1; } else"), "{tried}");
    let says = "put `if (threadIdx.x == 0)` before `*out = 1;` in line 2, with braces around both";
    assert!(guarded.says.ends_with(says), "{}", guarded.says);
}

#[test]
fn what_is_said_can_be_copied() {
    let cases = [
        ("s[t].x += s[t + n].x;\ns[t].y += s[t + n].y;", Lanes, 2, "updates"),
        ("for (;;) {\nif (t < n) s[t] = s[t + 1];\nx = 1;\n}", Block, 1, "`if`"),
        ("*out += 1;\n*out += in[t];", Block, 2, "updates"),
    ];
    for (body, sides, count, what) in cases {
        let source = kernel(body);
        let all = proposed(&source, Race(sides), &[3, if count == 1 { 3 } else { 2 }]);
        let update = all.iter().find(|one| one.says.ends_with(&format!(", in place of the {what}")));
        let update = update.unwrap_or_else(|| panic!("{body}: {all:#?}"));
        let changes = update.changes(&source);
        assert_eq!(changes.len(), count, "{body}");
        for Change { line, text, .. } in changes {
            let put = format!("`{}` in line {line}", text.unwrap());
            assert!(update.says.contains(&put), "no {put} in: {}", update.says);
        }
    }
}

#[test]
fn edits_of_several_places_are_joined() {
    let source = kernel("*out += 1;\nx = 1;\ns[t] += 2;");
    let of = |line: u32| proposed(&source, Race(Block), &[line, line]).remove(0);
    let both = Candidate::joined(&[&of(2), &of(4)]).unwrap();
    let edited = source.replace("*out += 1", "atomicAdd(out, 1)").replace("s[t] += 2", "atomicAdd(&s[t], 2)");
    assert_eq!(both.tried(&source), edited);
    assert_eq!(both.says, format!("together: {}; and {}", of(2).says, of(4).says));
    let guard = proposed(&kernel("*out = 1;"), Race(Writers), &[2, 2]);
    assert_eq!(Candidate::joined(&[&guard[0], &guard[1]]), None, "two edits of one place");
}

#[test]
fn a_step_reads_before_the_barrier_and_writes_after() {
    let source = kernel("for (;;) {\n    if (t >= n) s[t] += s[t - n];\n    __syncthreads();\n}");
    let edited: Vec<String> =
        proposed(&source, Race(Block), &[3, 3]).iter().map(|one| one.tried(&source)).collect();
    let step = "{ auto value = s[t]; if (t >= n) value = s[t] + s[t - n]; __syncthreads(); \
                if (t >= n) s[t] = value; }";
    assert!(edited.contains(&source.replace("if (t >= n) s[t] += s[t - n];", step)), "{edited:#?}");
}

#[test]
fn every_step_of_a_warp_is_one_candidate() {
    let source = kernel("if (n > 4) s[t] += s[t + 2];\nif (n > 2) s[t] += s[t + 1];\nx = 1;");
    let all = proposed(&source, Race(Lanes), &[3, 2]);
    let split = |own: &str, next: &str| {
        format!("{{ auto value = s[t] + s[{next}]; __syncwarp(); s[t] = value; }} __syncwarp(); // {own}")
    };
    let edited = all[1].tried(&source);
    for (own, next) in [("first", "t + 2"), ("second", "t + 1")] {
        let text = split(own, next);
        let text = text.split(" //").next().unwrap();
        assert!(edited.contains(text), "no {text} in\n{edited}");
    }
    assert_eq!(all[1].changes(&source).len(), 2);
}

#[test]
fn a_helper_that_is_called_twice_is_parted_at_its_call() {
    let source = "\
__device__ int sum(int *s) {
    s[t] = 1;
    __syncthreads();
    return s[0];
}
__global__ void k(int *out) {
    int a = sum(out);
    int b = sum(out);
}
";
    let all = proposed(source, Race(Block), &[2, 4]);
    assert_eq!(all[0].says, "put `__syncthreads();` before line 8, which calls `sum`");
    assert_eq!(
        changed(source, &all[0]),
        source.replace("a = sum(out);\n", "a = sum(out);\n    __syncthreads();\n")
    );
    assert!(all.iter().any(|one| one.says == "put `__syncthreads();` before line 4"));
}

#[test]
fn a_barrier_leaves_its_branch() {
    let source = kernel("if (t < 8) {\n    x = 1;\n    __syncthreads();\n    x = 2;\n}");
    let edited = proposed(&source, Divergence, &[4, 2])[0].tried(&source);
    assert_eq!(edited, source.replace("__syncthreads();", "} __syncthreads(); if (t < 8) {"));
    let source = kernel("if (t < 8) {\n    x = 1;\n    __syncthreads();\n}\nx = 3;");
    let edited = changed(&source, &proposed(&source, Divergence, &[4, 2])[0]);
    assert_eq!(edited, kernel("if (t < 8) {\n    x = 1;\n}\n__syncthreads();\nx = 3;"));
}

#[test]
fn children_share_a_stream_or_come_last() {
    let source = "\
__global__ void child(int *x) { *x = 1; }
__global__ void k(int *x) {
    child<<<1, 1, 0, a>>>(x);
    child<<<dim3(1, 1), 1, 0, b>>>(x);
}
";
    let all = proposed(source, Race(Grids), &[1, 1]);
    let edited: Vec<String> = all.iter().map(|one| one.tried(source)).collect();
    assert_eq!(edited[0], source.replace("0, a>>>", "0, 0>>>").replace("0, b>>>", "0, 0>>>"));
    assert_eq!(edited[1], source.replace("0, b>>>", "0, cudaStreamTailLaunch>>>"));
}

#[test]
fn whatever_a_finding_names_nothing_breaks() {
    let source =
        kernel("if (n) { s[t] +=\n in[t]; } else for (;;) x = {1, 2};\n switch (n) { case 1: out[n] = 1; }");
    let all = [Block, Blocks, Cluster, Family, Grids, Lanes, Writers].map(Race);
    let all = all.into_iter().chain([Copy, Divergence, OutOfBounds, Uninitialized]);
    let mut count = 0;
    for mistake in all {
        for end in (0..source.len()).filter(|end| source.is_char_boundary(*end)) {
            let source = &source[..end];
            for lines in [[1, 2], [2, 2], [3, 2], [4, 9]] {
                for one in proposed(source, mistake, &lines) {
                    let ends = |text: &str| text.matches('\n').count();
                    assert_eq!(ends(&one.tried(source)), ends(source), "{}", one.says);
                    changed(source, &one);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 500, "{count}");
}

#[test]
fn a_guard_is_for_both_ends_where_a_line_reads_both_neighbours() {
    let source = kernel("out[i] = in[i - 1] + in[i + 1];");
    let says: Vec<String> =
        proposed(&source, OutOfBounds, &[2]).into_iter().map(|candidate| candidate.says).collect();
    let guards = ["i < n", "i >= 1", "i >= 1 && i + 1 < n"];
    assert_eq!(says[..3], guards.map(|condition| format!("put `if ({condition})` before line 2")));
}

#[test]
fn what_only_some_threads_set_gets_a_first_value() {
    let source = kernel("int row;\n    if (i == 0) row = 4;\n    out[row] = in[i];");
    let says =
        proposed(&source, Race(Sides::Writers), &[4]).into_iter().map(|candidate| candidate.says).next();
    assert_eq!(says.as_deref(), Some("give `row` a first value: `row = 0` in line 2"));
}

#[test]
fn pairs_that_overlap_are_two_strides_apart() {
    let source = kernel("for (int d = 1; d < n; d *= 2)\nout[d * t] += out[d * t + d];");
    let first = proposed(&source, Race(Block), &[3]).into_iter().next().unwrap();
    assert_eq!(first.says, "put `2 * d * t` in line 3, in place of `d * t`");
}

#[test]
fn a_grid_that_has_a_name_has_a_barrier() {
    for kind in ["cg::grid_group", "auto", "const auto"] {
        let body =
            format!("{kind} grid = cg::this_grid();\nout[i] = 1;\n__syncthreads();\nin[i] = out[i + 1];");
        let all = proposed(&kernel(&body), Race(Blocks), &[5, 3]);
        assert!(all.iter().any(|edit| edit.says == "put `grid.sync();` before line 5"), "{kind}: {all:?}");
    }
}

#[test]
fn a_child_that_comes_too_early_may_be_its_parents_tail() {
    let source = "__global__ void k(int *d, int n) {\n  d[threadIdx.x] += 1;\n  if (threadIdx.x == 0)\n    \
                  k<<<1, n, 0, cudaStreamFireAndForget>>>(d, n / 2);\n}\n\
                  int main() { k<<<8, 64>>>(d, 64); }\n";
    let says: Vec<String> =
        proposed(source, Race(Sides::Family), &[2]).into_iter().map(|candidate| candidate.says).collect();
    let tail = "launch it as the parent's tail: `cudaStreamTailLaunch` as the stream in line 4";
    assert!(says.contains(&tail.to_string()), "{says:?}");
}

#[test]
fn a_plain_flag_that_a_loop_waits_for_becomes_volatile() {
    let proposes = |source: &str, lines: &[u32]| -> Vec<String> {
        let all = proposed(source, Race(Blocks), lines).into_iter();
        all.filter(|edit| edit.says.starts_with("declare")).map(|edit| changed(source, &edit)).collect()
    };
    let waits = "if (blockIdx.x == 0) {\nin[0] = 1;\n*flag = 1;\n} else {\nwhile (*flag == 0) {}\n\
                 in[1] = 2;\n}\n}\n";
    let of_parameter = format!("__global__ void k(int *in, int *flag) {{\n{waits}");
    let expected = of_parameter.replace("int *flag)", "volatile int *flag)");
    assert_eq!(proposes(&of_parameter, &[6, 4]), std::slice::from_ref(&expected));
    assert_eq!(proposes(&of_parameter, &[7, 3]), [""; 0], "lines without the flag");
    assert_eq!(proposes(&expected, &[6, 4]), [""; 0]);
    let variable = of_parameter.replace(", int *flag", "").replace("*flag", "flag");
    let of_variable = format!("__device__ int flag;\n{variable}");
    let expected = of_variable.replace("__device__ int flag", "__device__ volatile int flag");
    assert_eq!(proposes(&of_variable, &[7, 5]), [expected]);
    let works = of_parameter.replace("while (*flag == 0) {}", "while (*flag == 0) in[2]++;");
    assert_eq!(proposes(&works, &[6, 4]), [""; 0], "the loop does not only wait");
}

#[test]
fn a_member_that_a_loop_waits_for_is_read_and_written_by_atomics() {
    let proposes = |body: &str| -> Vec<String> {
        let source = kernel(body);
        let all = proposed(&source, Race(Blocks), &[2, 3]).into_iter();
        let atomic = all.filter(|edit| edit.says.contains("in place of the plain read and write of"));
        atomic.map(|edit| changed(&source, &edit)).collect()
    };
    assert_eq!(
        proposes("while (lock.serving != n) {}\nlock.serving = n + 1;"),
        [kernel("while (atomicAdd(&lock.serving, 0) != n) {}\natomicExch(&lock.serving, n + 1);")]
    );
    assert_eq!(
        proposes("while (*out == 0) {}\n*out = 1;"),
        [kernel("while (atomicAdd(out, 0) == 0) {}\natomicExch(out, 1);")]
    );
    for other in ["while (out[n - 1] == 0) {}\nout[n] = 1;", "while (lock.now.x == 0) {}\nlock.now = 1;"] {
        assert_eq!(proposes(other), [""; 0], "{other}");
    }
    assert_eq!(proposes("while (*out == 0) in[0]++;\n*out = 1;"), [""; 0], "it does not only wait");
}

#[test]
fn what_is_declared_volatile_is_seen_like_an_atomic() {
    let source = "__global__ void k(int *out, volatile int *flag) {\nwhile (flag[0] == 0)\n    ;\n\
                  out[0] = out[1];\nout[2] = 3;\nflag[1] = 1;\n}\n";
    let says: Vec<String> =
        proposed(source, Race(Blocks), &[4, 5]).into_iter().map(|edit| edit.says).collect();
    let both = "put `__threadfence();` after line 5 and after line 3";
    assert!(says.iter().any(|says| says == both), "{says:#?}");
}

#[test]
fn a_number_that_takes_a_lock_is_one_more() {
    let body = |takes: &str, gives: &str| kernel(&format!("while ({takes} != 0) {{}}\nout[1]++;\n{gives};"));
    let mended = |takes: &str, gives: &str| {
        let source = body(takes, gives);
        let all = proposed(&source, Race(Lock), &[2, 4]);
        all.first().filter(|edit| edit.says.contains("+ 1")).map(|edit| changed(&source, edit))
    };
    assert_eq!(
        mended("atomicCAS(out, 0, (int)blockIdx.x)", "atomicCAS(out, (int)blockIdx.x, 0)"),
        Some(body("atomicCAS(out, 0, (int)blockIdx.x + 1)", "atomicCAS(out, (int)blockIdx.x + 1, 0)"))
    );
    assert_eq!(
        mended("atomicCAS(&out[f(0, 1)], 0, n & 3)", "atomicExch(out, 0)"),
        Some(body("atomicCAS(&out[f(0, 1)], 0, (n & 3) + 1)", "atomicExch(out, 0)"))
    );
    assert_eq!(mended("atomicCAS(out, 0, 1)", "atomicExch(out, 0)"), None);
}

#[test]
fn a_flag_that_an_atomic_reads_is_set_by_one() {
    let source = kernel("*out = 1;\nwhile (atomicAdd(out, 0) == 0) {}");
    let all = proposed(&source, Race(Blocks), &[2, 3]);
    let expected = kernel("atomicExch(out, 1);\nwhile (atomicAdd(out, 0) == 0) {}");
    assert_eq!(changed(&source, &all[0]), expected, "{}", all[0].says);
    let another = kernel("*out = 1;\nint mine = atomicAdd(&out[1], 1);");
    let all = proposed(&another, Race(Blocks), &[2, 3]);
    assert!(!all.iter().any(|edit| edit.says.contains("atomicExch")), "{all:#?}");
}
