//! What a source calls its kernels and their parameters: PTX has lost the names, and what a pointer points
//! to.

use super::lex::{Lines, Token, placed};

/// A parameter as the source has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it points to, or is, if that is a number: `f32`.
    pub kind: Option<&'static str>,
    /// The bytes of that, if they are known; of vectors too.
    pub bytes: Option<u32>,
}

/// A kernel as the source has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where that stands, from 1.
    pub line: u32,
    /// Whether its name in PTX is this one: `extern "C"`.
    pub is_c: bool,
    /// Whether it becomes a kernel only where it is instantiated.
    pub is_template: bool,
    /// The names of a template's types: `T` of `template <typename T>`.
    pub types: Vec<&'a str>,
    /// What stands between its parentheses, in one line.
    pub parameters: String,
}

/// The kernels of `source`, in its order.
pub fn kernels(source: &str) -> Vec<Kernel<'_>> {
    let tokens: Vec<(usize, Token)> =
        placed(source).into_iter().filter(|(_, token)| *token != Token::LineEnd).collect();
    let lines = Lines::new(source);
    let mut found = Vec::new();
    let mut start = 0;
    // Whether each open brace is that of `extern "C" {`.
    let mut open: Vec<bool> = Vec::new();
    for (at, (_, token)) in tokens.iter().enumerate() {
        let head = &tokens[start..at];
        if token.is_word("__global__") {
            found.extend(kernel(source, &lines, head, &tokens[at + 1..], open.contains(&true)));
        }
        if token.is_mark("{") {
            open.push(is_c(head));
        } else if token.is_mark("}") {
            open.pop();
        }
        if [";", "{", "}"].iter().any(|mark| token.is_mark(mark)) {
            start = at + 1;
        }
    }
    found
}

/// Whether `extern "C"` stands in the head of a definition.
fn is_c(head: &[(usize, Token)]) -> bool {
    let is_c = |pair: &[(usize, Token)]| pair[0].1.is_word("extern") && pair[1].1.text() == "\"C\"";
    head.windows(2).any(is_c)
}

/// The kernel with what stands before its `__global__`, and behind.
fn kernel<'a>(
    source: &'a str,
    lines: &Lines,
    head: &[(usize, Token<'a>)],
    behind: &[(usize, Token<'a>)],
    in_c: bool,
) -> Option<Kernel<'a>> {
    let mut at = 0;
    let (name, place, first) = loop {
        match behind.get(at..at + 2)? {
            [(_, Token::Word(word)), (_, open)] if open.is_mark("(") && word.starts_with("__") => {
                at = closing(behind, at + 1)? + 1; // of `__launch_bounds__(64)`
            }
            [(place, Token::Word(word)), (_, open)] if open.is_mark("(") => break (*word, *place, at + 1),
            [(_, one), _] if [";", "{", "}"].iter().any(|mark| one.is_mark(mark)) => return None,
            _ => at += 1,
        }
    };
    let last = closing(behind, first)?;
    let text = &source[behind[first].0 + 1..behind[last].0];
    let parameters = without_comments(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let is_template = head.iter().any(|(_, token)| token.is_word("template"));
    let is_type = |pair: &&[(usize, Token)]| pair[0].1.is_word("typename") || pair[0].1.is_word("class");
    let types = head.windows(2).filter(is_type).map(|pair| pair[1].1.text()).collect();
    Some(Kernel { name, line: lines.line(place), is_c: in_c || is_c(head), is_template, types, parameters })
}

/// Which token closes the parenthesis that token `open` opens.
fn closing(tokens: &[(usize, Token)], open: usize) -> Option<usize> {
    let mut depth = 0;
    let depths = tokens.iter().enumerate().skip(open).map(|(at, (_, token))| {
        depth += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
        (at, depth)
    });
    depths.into_iter().find(|(_, depth)| *depth == 0).map(|(at, _)| at)
}

/// `reduce` of the name that PTX has for a kernel: a C++ compiler makes `_Z6reduceILi256EEvPi` of it (Itanium
/// C++ ABI, 5.1), and of one in a namespace `_ZN3lab6reduceEv`.
pub fn source_name(kernel: &str) -> &str {
    let Some(mut rest) = kernel.strip_prefix("_Z") else { return kernel };
    rest = rest.strip_prefix('N').unwrap_or(rest);
    let mut name = kernel;
    while let Some((length, behind)) = length_of(rest) {
        let Some((part, behind)) = behind.split_at_checked(length) else { break };
        name = part;
        rest = behind;
    }
    name
}

fn length_of(text: &str) -> Option<(usize, &str)> {
    let (digits, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    Some((digits.parse().ok()?, rest))
}

/// The parameters of `kernel`, by its name in the source or in PTX; none if a macro or a template makes the
/// kernel.
pub fn parameters(source: &str, kernel: &str) -> Vec<Parameter> {
    let code = instance(source, kernel);
    let list = after(&code, source_name(kernel)).and_then(|rest| rest.split(')').next());
    list.into_iter().flat_map(|list| list.split(',')).map(parameter).collect()
}

/// What the shared arrays of `kernel` consist of, if it has some and all have the same type.
pub fn shared_kind(source: &str, kernel: &str) -> Option<&'static str> {
    let code = instance(source, kernel);
    let mut kinds = shared(&code, kernel).into_iter().map(|shared| shared.array.kind);
    let first = kinds.next()?;
    first.filter(|_| kinds.all(|kind| kind == first))
}

/// How an array is divided into elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// The bytes of one.
    pub bytes: u32,
    /// The extents of its dimensions, without the first.
    pub inner: Vec<u64>,
}

/// The elements of the shared array `name` of `kernel`, which has `size` bytes, if the source tells them.
pub fn shared_elements(source: &str, kernel: &str, name: &str, size: u64) -> Option<Elements> {
    let code = instance(source, kernel);
    let found = shared(&code, kernel).into_iter().find(|shared| shared.array.name == name)?;
    let extents: Vec<Option<u64>> = found.extents.iter().map(|text| extent(source, text)).collect();
    let bytes = found.array.bytes.or_else(|| share(size, &extents))?;
    let Some((outer, inner)) = extents.split_first().filter(|(_, inner)| !inner.is_empty()) else {
        return Some(Elements { bytes, inner: Vec::new() });
    };
    let inner: Vec<u64> = match (outer, inner) {
        // One leads to the other.
        (Some(outer), [None]) => vec![(size / u64::from(bytes)).checked_div(*outer)?],
        _ => inner.iter().copied().collect::<Option<_>>()?,
    };
    // A constant may have another value than the source says, by an option of the compiler.
    let row = inner.iter().try_fold(u64::from(bytes), |row, extent| row.checked_mul(*extent))?;
    let rows = size.checked_div(row)?;
    let is_all = rows * row == size && outer.is_none_or(|outer| outer == rows);
    is_all.then_some(Elements { bytes, inner })
}

/// The bytes of an element, where `size` bytes are divided into so many.
fn share(size: u64, extents: &[Option<u64>]) -> Option<u32> {
    let count = extents.iter().try_fold(1u64, |count, extent| count.checked_mul((*extent)?))?;
    let is_whole = count > 0 && size.is_multiple_of(count);
    (size / count.max(1)).try_into().ok().filter(|bytes| is_whole && *bytes > 0)
}

/// Constants that are looked up for one extent, at most: each may be made of others.
const MAX_CONSTANTS: u32 = 32;

/// The extent that stands as `text` between brackets.
fn extent(source: &str, text: &str) -> Option<u64> {
    let mut left = MAX_CONSTANTS;
    constant(source, text, &mut left)
}

/// The value of sums and products of numbers and of the constants of `source`: `TILE + 1`. At most `left`
/// constants are looked up.
fn constant(source: &str, text: &str, left: &mut u32) -> Option<u64> {
    let mut sum = 0u64;
    for term in text.split('+') {
        let mut product = 1u64;
        for word in term.split('*').map(str::trim) {
            let factor = match word.trim_end_matches(['u', 'U', 'l', 'L']).parse() {
                Ok(number) => number,
                Err(_) => {
                    *left = left.checked_sub(1)?;
                    constant(source, defined(source, word)?, left)?
                }
            };
            product = product.checked_mul(factor)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

/// What `#define TILE 16` or `constexpr int TILE = 16;` says of the name `TILE`.
fn defined<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let mut definitions = lines.filter_map(definition);
    definitions.find(|(defined, _)| *defined == name).map(|(_, text)| text)
}

/// The constant that a line defines, and what stands for it.
fn definition(line: &str) -> Option<(&str, &str)> {
    if let Some(rest) = line.trim_start().strip_prefix("#define") {
        return rest.trim_start().split_once(char::is_whitespace);
    }
    let (declared, text) = line.split_once('=').filter(|(declared, _)| declared.contains("const"))?;
    let name = declared.split_whitespace().next_back()?;
    Some((name, text.split(';').next().unwrap_or_default()))
}

/// Name and bytes of an element of the dynamic shared memory of `kernel`, if it calls that by one name only.
pub fn dynamic_shared(source: &str, kernel: &str) -> Option<(String, u32)> {
    let code = instance(source, kernel);
    let mut dynamic = shared(&code, kernel).into_iter().filter(|shared| shared.is_extern);
    let Shared { array: Parameter { name, bytes, .. }, extents, .. } = dynamic.next()?;
    let is_alone = extents.len() == 1 && dynamic.next().is_none();
    is_alone.then_some((name, bytes?))
}

/// A shared variable.
struct Shared<'a> {
    array: Parameter,
    /// As they stand in the brackets, one for each dimension.
    extents: Vec<&'a str>,
    /// Its size is said with the launch.
    is_extern: bool,
}

/// The shared variables of `kernel`.
fn shared<'a>(code: &'a str, kernel: &str) -> Vec<Shared<'a>> {
    let body = after(code, source_name(kernel)).and_then(|rest| rest.split("__global__").next());
    let parts: Vec<&str> = body.unwrap_or_default().split("__shared__ ").collect();
    let declared = |pair: &[&'a str]| {
        let is_extern = pair[0].trim_end().ends_with("extern");
        let declaration = pair[1].split(';').next().unwrap_or_default();
        let first = parameter(declaration.split(['[', ',', '=']).next().unwrap_or_default());
        let one = move |(number, declarator): (usize, &'a str)| {
            let name = declarator.split('[').next().unwrap_or_default().trim();
            let name = if number == 0 { first.name.clone() } else { name.to_string() };
            let extents = declarator.split('[').skip(1).filter_map(|rest| rest.split(']').next());
            Shared { array: Parameter { name, ..first.clone() }, extents: extents.collect(), is_extern }
        };
        declaration.split(',').enumerate().map(one)
    };
    parts.windows(2).flat_map(declared).collect()
}

fn without_comments(source: &str) -> String {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join(" ")
}

/// What follows the name of `kernel` and the parenthesis where it is defined.
fn after<'a>(code: &'a str, kernel: &str) -> Option<&'a str> {
    definition_of(code, kernel).map(|(_, rest)| rest)
}

/// What stands before the name of `kernel` where it is defined, and what follows the parenthesis.
fn definition_of<'a>(code: &'a str, kernel: &str) -> Option<(&'a str, &'a str)> {
    code.match_indices(kernel).find_map(|(at, _)| {
        let before = &code[..at];
        let after = &code[at + kernel.len()..];
        let rest = after.trim_start().strip_prefix('(')?;
        let head = before.strip_suffix(char::is_whitespace)?.rsplit([';', '{', '}']).next()?;
        head.contains("__global__").then_some((head, rest))
    })
}

/// `source` without comments and, if `kernel` is an instance of a template, with what it was made for in
/// place of the template's parameters.
fn instance(source: &str, kernel: &str) -> String {
    let code = without_comments(source);
    let head = definition_of(&code, source_name(kernel)).map(|(head, _)| head);
    let given: Vec<(String, String)> = head
        .map(template_parameters)
        .into_iter()
        .flatten()
        .map(str::to_string)
        .zip(template_arguments(kernel))
        .collect();
    if given.is_empty() {
        return code;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let one = |piece: &str| {
        let word = piece.trim_end_matches(|c| !is_part(c));
        let value = given.iter().find(|(name, _)| name == word).map_or(word, |(_, value)| value);
        format!("{value}{}", &piece[word.len()..])
    };
    code.split_inclusive(|c| !is_part(c)).map(one).collect()
}

/// `T` and `N` of `template <typename T, int N> __global__ void`.
fn template_parameters(head: &str) -> impl Iterator<Item = &str> {
    let list = head.split_once("template").and_then(|(_, rest)| rest.split_once('<'));
    let list = list.and_then(|(_, rest)| rest.split_once('>')).map(|(list, _)| list);
    list.into_iter()
        .flat_map(|list| list.split(','))
        .filter_map(|one| one.split('=').next()?.split_whitespace().next_back())
}

/// `float` and `32` of `_Z5tilesIfLi32EEvPf` (Itanium C++ ABI, 5.1.5 and 5.1.6.1), as far as they are types
/// of numbers and whole numbers.
fn template_arguments(kernel: &str) -> Vec<String> {
    let list = kernel.split_once(source_name(kernel)).and_then(|(_, rest)| rest.strip_prefix('I'));
    let mut rest = list.unwrap_or_default();
    let mut arguments = Vec::new();
    while let Some((argument, behind)) = template_argument(rest) {
        arguments.push(argument);
        rest = behind;
    }
    arguments
}

/// The first of the arguments that `text` begins with, and what follows it.
fn template_argument(text: &str) -> Option<(String, &str)> {
    if let Some(literal) = text.strip_prefix('L') {
        let (number, rest) = literal.get(1..)?.split_once('E')?;
        let is_number = number.trim_start_matches('n').bytes().all(|byte| byte.is_ascii_digit());
        return is_number.then(|| (number.replace('n', "-"), rest));
    }
    let name = match text.chars().next()? {
        'a' | 'c' => "char",
        'h' => "unsigned char",
        'b' => "bool",
        's' => "short",
        't' => "unsigned short",
        'i' => "int",
        'j' => "unsigned int",
        'l' | 'x' => "long long",
        'm' | 'y' => "unsigned long long",
        'f' => "float",
        'd' => "double",
        _ => return None,
    };
    Some((name.to_string(), &text[1..]))
}

fn parameter(text: &str) -> Parameter {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let name = words.pop().unwrap_or_default().to_string();
    words.retain(|word| !matches!(*word, "const" | "volatile" | "__restrict__" | "extern"));
    let words = words.join(" ");
    let kind = kind(&words);
    let bytes = kind.and_then(bytes).or(vector(&words));
    Parameter { name, kind, bytes }
}

/// What the launch language calls a type of C++, if it is a number.
pub fn kind(words: &str) -> Option<&'static str> {
    Some(match words {
        "char" | "signed char" | "int8_t" => "i8",
        "short" | "int16_t" => "i16",
        "int" | "int32_t" => "i32",
        "long" | "long long" | "int64_t" | "ptrdiff_t" => "i64",
        "unsigned char" | "uint8_t" | "bool" => "u8",
        "unsigned short" | "uint16_t" => "u16",
        "unsigned" | "unsigned int" | "uint" | "uint32_t" => "u32",
        "unsigned long" | "unsigned long long" | "uint64_t" | "size_t" => "u64",
        "half" | "__half" => "f16",
        "__nv_bfloat16" => "bf16",
        "float" => "f32",
        "double" => "f64",
        _ => return None,
    })
}

/// The bytes of a number: those of `bf16` are 2.
fn bytes(kind: &str) -> Option<u32> {
    let digits = kind.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse::<u32>().ok().map(|bits| bits / 8)
}

/// The bytes of `float4`.
fn vector(words: &str) -> Option<u32> {
    let (number, count) = words.split_at_checked(words.len().checked_sub(1)?)?;
    let count: u32 = count.parse().ok().filter(|count| (1..=4).contains(count))?;
    let one = match number {
        "char" | "uchar" => 1,
        "short" | "ushort" | "half" | "__half" => 2,
        "int" | "uint" | "float" => 4,
        "longlong" | "ulonglong" | "double" => 8,
        _ => return None,
    };
    Some(one * count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// void reduce(wrong)\n\
        extern \"C\" __global__ void __launch_bounds__(64)\n    reduce(const int *g_a, // first\n\
        \x20   float *__restrict__ g_odata, unsigned long long size)\n{\n}\n\
        __global__ void call(Node *nodes, const float4 *all) { reduce(nodes); }\n";

    #[test]
    fn parameters_have_the_names_and_types_of_the_source() {
        let of = |kernel| {
            let all = parameters(SOURCE, kernel).into_iter();
            all.map(|one| (one.name, one.kind.unwrap_or("-"), one.bytes)).collect::<Vec<_>>()
        };
        let is = |name: &str, kind, bytes| (name.to_string(), kind, bytes);
        let all = [is("g_a", "i32", Some(4)), is("g_odata", "f32", Some(4)), is("size", "u64", Some(8))];
        assert_eq!(of("reduce"), all);
        assert_eq!(of("_Z4callP4NodePK6float4"), [is("nodes", "-", None), is("all", "-", Some(16))]);
        assert_eq!(of("uce"), [], "part of a name");
        assert_eq!(of("other"), []);
    }

    #[test]
    fn the_type_of_shared_arrays_is_known_where_they_have_but_one() {
        let with = |body: &str| format!("{SOURCE}__global__ void dot(float *a) {{ {body} }}");
        let of = |body: &str| shared_kind(&with(body), "dot");
        let one = "extern __shared__ float tile[];\n__shared__ float cache[256];";
        assert_eq!(of(one), Some("f32"));
        assert_eq!(of(&format!("{one} __shared__ int ends[2];")), None);
        assert_eq!(of("int x;"), None);
        assert_eq!(shared_kind(&with(one), "reduce"), None, "another kernel's");
        let declared = "#define ROWS 4\nconstexpr int TILE = 2 * 8; // wide\n";
        let body = "__shared__ short a[9], s; __shared__ int b[TILE][TILE + 1], c[ROWS][N], d[N][M];";
        let source = declared.to_string() + &with(body);
        let elements = |name, size| {
            let found = shared_elements(&source, "dot", name, size);
            found.map(|elements| (elements.bytes, elements.inner))
        };
        assert_eq!([elements("a", 18), elements("s", 2)], [Some((2, vec![])), Some((2, vec![]))]);
        assert_eq!(elements("b", 16 * 17 * 4), Some((4, vec![17])));
        assert_eq!(elements("b", 16 * 16 * 4), None, "of another build");
        assert_eq!(elements("c", 4 * 5 * 4), Some((4, vec![5])), "the rest of what there is");
        assert_eq!([elements("d", 80), elements("e", 80)], [None, None]);
        // Constants of constants without an end, or of very many.
        let all: String = (0..40).map(|n| format!("#define N{n} N{0}*N{0}*N{0}\n", n + 1)).collect();
        let source =
            format!("#define A A\n{all}#define N40 1\n") + &with("__shared__ int a[2][A], b[2][N0];");
        let inner = |name| shared_elements(&source, "dot", name, 24).map(|elements| elements.inner);
        assert_eq!([inner("a"), inner("b")], [Some(vec![3]), Some(vec![3])], "of the bytes alone");
        let dynamic = |body: &str| dynamic_shared(&with(body), "dot");
        assert_eq!(dynamic("extern __shared__ double all[];"), Some(("all".to_string(), 8)));
        assert_eq!(dynamic(one), Some(("tile".to_string(), 4)), "beside a static array");
    }

    #[test]
    fn what_a_template_is_made_for_stands_in_place_of_its_parameters() {
        let source = "template <typename T, int N = 32> __global__ void turn(const T *in, int n)\n\
            { __shared__ T tile[N][N + 1]; __shared__ Pair pairs[4 * 4]; }";
        let of = |kernel: &str, name, size| {
            shared_elements(source, kernel, name, size).map(|elements| (elements.bytes, elements.inner))
        };
        assert_eq!(of("_Z4turnIdLi8EEvPKT_i", "tile", 8 * 9 * 8), Some((8, vec![9])));
        assert_eq!(of("_Z4turnIfLj16EEvPKT_i", "tile", 16 * 17 * 4), Some((4, vec![17])));
        assert_eq!(of("_Z4turnI4PairLi8EEvPKT_i", "tile", 8 * 9 * 8), None, "of a type of its own");
        assert_eq!(of("_Z4turnIfLi8EEvPKT_i", "pairs", 16 * 12), Some((12, vec![])), "a share of all bytes");
        assert_eq!(parameters(source, "_Z4turnIdLi8EEvPKT_i")[0].kind, Some("f64"));
        assert_eq!(parameters(source, "_Z4turn")[0].kind, None);
    }

    #[test]
    fn kernels_are_found_with_their_lines_and_heads() {
        let source = "#include <cstdio>\nextern \"C\" {\n__global__ void a(int *x) {}\n}\n\
            template <int N> __global__ void b(float (*f)(int),\n  int n) {}\n\
            __device__ int helper(int i) { return i; }\n__global__ void c();\n";
        let source = format!("{SOURCE}{source}");
        let all = kernels(&source);
        let heads: Vec<_> = all.iter().map(|one| (one.name, one.line, one.is_c, one.is_template)).collect();
        let is = [
            ("reduce", 3, true, false),
            ("call", 7, false, false),
            ("a", 10, true, false),
            ("b", 12, false, true),
            ("c", 15, false, false),
        ];
        assert_eq!(heads, is);
        assert_eq!(all[0].parameters, "const int *g_a, float *__restrict__ g_odata, unsigned long long size");
        assert_eq!(all[3].parameters, "float (*f)(int), int n");
        assert!(kernels("__global__").is_empty() && kernels("__global__ void x; f(2);").is_empty());
    }

    #[test]
    fn a_kernel_has_the_name_of_the_source() {
        for (kernel, name) in [
            ("_Z3sumPKiPi", "sum"),
            ("_ZN3lab3sumEv", "sum"),
            ("_Z6reduceILi256EEvPi", "reduce"),
            ("sum", "sum"),
            ("_Z", "_Z"),
            ("_Z99sum", "_Z99sum"),
            ("_Z99999999999999999999999sum", "_Z99999999999999999999999sum"),
        ] {
            assert_eq!(source_name(kernel), name);
        }
    }
}
