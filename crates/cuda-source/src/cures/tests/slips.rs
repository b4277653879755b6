//! Edits for what only a wrong result shows.

use super::super::candidates_for_the_result;
use super::{changed, kernel};

#[test]
fn slips_that_only_a_result_shows_have_their_edits() {
    let cases = [
        ("for (int d = 16; d > 1; d /= 2) s[t] += s[t + d];", "put `d >= 1` in line 2, in place of `d > 1`"),
        ("if (t <= n) out[t] = 1;", "put `t < n` in line 2, in place of `t <= n`"),
        ("last = atomicAdd(c, 1) == gridDim.x;", "put `gridDim.x - 1` in line 2, in place of `gridDim.x`"),
        (
            "out[t] = tile[x][threadIdx.y];",
            "put `[threadIdx.y][x]` in line 2, in place of `[x][threadIdx.y]`",
        ),
        (
            "for (int m = 0; m < n / T; m++) x += in[m];",
            "put `(n + T - 1) / T` in line 2, in place of `n / T`",
        ),
        ("s[t] = t < n ? in[t] : 0;\nx = max(x, s[t]);", "put `-2147483647 - 1` in line 2, in place of `0`"),
        ("float most = 0;\nmost = fmaxf(most, in[t]);", "put `-INFINITY` in line 2, in place of `0`"),
        (
            "float most = FLT_MIN;\nmost = fmaxf(most, in[t]);",
            "put `-INFINITY` in line 2, in place of `FLT_MIN`",
        ),
        (
            "long long sum = 0;\nsum += in[t] * in[t];",
            "multiply in 64 bits: put `(long long)` before `in` in line 3",
        ),
        (
            "child<<<1, 1>>>(out);",
            "let one block launch it: put `if (blockIdx.x == 0)` before `child` in line 2",
        ),
        (
            "if (s[t + d].v > s[t].v) s[t].v = s[t + d].v;",
            "put `s[t] = s[t + d];` in line 2, in place of `s[t].v = s[t + d].v;`",
        ),
        ("float v = 0;\nif (t < n) {\nfloat v = in[t];\n}", "put `v` in line 4, in place of `float v`"),
        ("out[t] += in[blockIdx.x];", "put `blockIdx.x - 1` in line 2, in place of `blockIdx.x`"),
        (
            "out[t] += in[blockIdx.x];",
            "put `(blockIdx.x > 0 ? in[blockIdx.x - 1] : 0)` in line 2, in place of `in[blockIdx.x]`",
        ),
        (
            "for (int d = 1; d < n; d *= 2) if (t % 2 * d == 0) s[t] += s[t + d];",
            "put `% (2 * d)` in line 2, in place of `% 2 * d`",
        ),
        (
            "for (int i = blockIdx.x * 8 + t; i < n; i += gridDim.x) x += in[i];",
            "put `blockDim.x * gridDim.x` in line 2, in place of `gridDim.x`",
        ),
        (
            "unsigned sum = 0;\nsum += in[t];\natomicAdd(total, (unsigned long long)sum);",
            "put `unsigned long long sum` in line 2, in place of `unsigned sum`",
        ),
        ("float f = 1 / n;", "divide as floats: put `(float)1 /` in line 2"),
        ("float f = (n - t) / (n - 1);", "divide as floats: put `(float)(n - t) /` in line 2"),
        (
            "x += __shfl_down_sync(~0u, x, d);",
            "put `__shfl_xor_sync` in line 2, in place of `__shfl_down_sync`",
        ),
        (
            "for (int d = 1; d < n; d *= 2) s[d * t] += s[d * t + d];",
            "put `2 * d * t` in line 2, in place of `d * t`",
        ),
        (
            "for (int d = 1; d < n; d <<= 1) if (t % d == 0) s[t] += s[t + d];",
            "put `% (2 * d)` in line 2, in place of `% d`",
        ),
        (
            "int i = blockIdx.x * 8 + t;\nint w = threadIdx.x;\nout[w] = in[w];",
            "put `[i]` in line 4, in place of `[w]`",
        ),
        (
            "int *own = out + 8 * blockIdx.x;\nchild<<<1, 1>>>(out);",
            "put `(own)` in line 3, in place of `(out)`",
        ),
        ("out[threadIdx.x] = 1;", "put `blockIdx.x * blockDim.x + threadIdx.x` in line 2, in place of"),
    ];
    for (body, says) in cases {
        let all = candidates_for_the_result(&kernel(body));
        assert!(all.iter().any(|edit| edit.says.starts_with(says)), "{body}: {all:?}");
    }
    let least = format!("__device__ int least;\n{}", kernel("atomicMin(&least, in[t]);"));
    let all = candidates_for_the_result(&least);
    let says = "begin with what every number replaces: put `least = 2147483647` in line 1";
    assert!(all.iter().any(|edit| edit.says == says), "{all:?}");
    for body in ["out[t] = a << b >> c;", "__shared__ float tile[TILE][WIDTH];", "if (x == 0) x = 1;"] {
        assert_eq!(candidates_for_the_result(&kernel(body)), [], "{body}");
    }
}

#[test]
fn sides_that_are_exchanged_and_another_width_have_their_edits() {
    let says = |source: &str| -> Vec<String> {
        candidates_for_the_result(source).into_iter().map(|edit| edit.says).collect()
    };
    let kernel = "__global__ void k(float *m, int rows, int columns) {\n\
                  m[row * rows + column] = 1;\n}\n";
    let width = "put `row * columns` in line 2, in place of `row * rows`";
    assert!(says(kernel).contains(&width.to_owned()), "{:?}", says(kernel));
    let host = "int main() { dim3 grid((h + 15) / 16, (w + 15) / 16); dim3 block(16, 16); dim3 one(8); }\n";
    let grid = "put `(w + 15) / 16, (h + 15) / 16` in line 4, in place of `(h + 15) / 16, (w + 15) / 16`";
    let all = says(&format!("{kernel}{host}"));
    assert_eq!(all[0], grid);
    assert_eq!(all.iter().filter(|says| says.contains("16, 16") || says.contains("`8")).count(), 0);
}

#[test]
fn slips_of_the_host_have_their_edits() {
    let host = "int main() {\n\
                cudaMalloc(&from, n); CHECK(cudaMalloc((void **)&to, n));\n\
                std::swap(from, to); CHECK(cudaMemcpy(&sum, to, sizeof(sum), cudaMemcpyDeviceToHost));\n\
                double mean = sum / n; int half = n / 2; double third = (double)n / 3;\n}\n";
    let all: Vec<String> = candidates_for_the_result(host).into_iter().map(|edit| edit.says).collect();
    let copied = "put `from` in line 3, in place of `to`";
    let divided = "divide as numbers with a fraction: put `(double)sum /` in line 4";
    assert_eq!(all, [copied, divided]);
    let filled = "int main() { cudaMalloc(&in, n); cudaMalloc(&out, n);\n\
                  cudaMemcpy(in, h, n, cudaMemcpyHostToDevice);\n\
                  cudaMemcpy(h, out, n, cudaMemcpyDeviceToHost); }\n";
    assert_eq!(candidates_for_the_result(filled), [], "the input is no result");
}

#[test]
fn a_kind_with_many_edits_leaves_room_for_the_others() {
    let compared = "if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;\n".repeat(20);
    let all = candidates_for_the_result(&kernel(&format!("{compared}float mean = (1 / 9) * sum;")));
    let place = all.iter().position(|edit| edit.says.starts_with("divide as floats"));
    assert!(place.is_some_and(|place| place < 8), "{place:?}");
}

#[test]
fn slips_of_any_text_break_nothing_and_are_few() {
    let body =
        "if (t <= n && s[a][b] == gridDim.x) x = max(x, c ? 1 : 0) / n;\nfor (; i < n / T;) f = 1 / n;";
    let source =
        kernel(body) + "int main() { int b = n / 8; for (int i = 0; i < n / 8; i++) k<<<b / 2, 8>>>(); }";
    let ends = (0..source.len()).filter(|end| source.is_char_boundary(*end));
    let of = |text: &str| {
        let all = candidates_for_the_result(text);
        all.iter().for_each(|one| _ = (one.tried(text), changed(text, one)));
        all.len()
    };
    let proposed: usize = ends.map(|end| of(&source[..end])).sum();
    assert!(proposed > 500, "{proposed}");
    // Each of these texts takes far longer than a test may if its length counts twice.
    for part in [
        "<<<",
        "<<<n / 8;",
        "for (",
        "n / n ",
        "if (x < y) ",
        "a[b][c] == d ",
        "max(: 0; ",
        "dim3 a(b, ",
        "a * n + ",
        "long long a[b] * c ",
        "__device__ int a; atomicMin(&a",
        "int @ = 1; f(@); ",
    ] {
        // Each time another name.
        let long: String = (0..5_000).map(|number| part.replace('@', &format!("a{number}"))).collect();
        for text in [kernel(&long), format!("{}int main() {{ {long} }}", kernel("k<<<n, 8>>>();"))] {
            assert!(candidates_for_the_result(&text).len() <= 256);
        }
    }
}

#[test]
fn a_host_s_numbers_are_rounded_up_where_they_decide_how_much_is_done() {
    let says = |host: &str| -> Vec<String> {
        let source = format!("{}\nint main() {{ {host} }}\n", kernel("out[0] = 1;"));
        candidates_for_the_result(&source).into_iter().map(|edit| edit.says).collect()
    };
    let up = ["put `(n + 128 - 1) / 128` in line 5, in place of `n / 128`"];
    assert_eq!(says("k<<<n / 128, 128>>>(d, n);"), up);
    assert_eq!(says("int blocks = n / 128; k<<<blocks, 128>>>(d, n);"), up);
    assert_eq!(says("dim3 grid(n / 128); k<<<grid, 128>>>(d, n);"), up);
    assert_eq!(says("for (int b = 0; b < n / 128; b++) sum += h[b];"), up);
    let divided = ["divide as numbers with a fraction: put `(double)sum /` in line 5"];
    assert_eq!(says("float mean = sum / n; k<<<4, 128>>>(d, n);"), divided);
    assert_eq!(says("k<<<(n + 127) / 128, 128>>>(d, n);"), [""; 0]);
}
