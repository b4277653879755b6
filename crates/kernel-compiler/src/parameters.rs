//! What a source calls the parameters of its kernels: PTX has lost their names, and what a pointer points to.

/// A parameter as the source has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it points to, or is, if that is a number: `f32`.
    pub kind: Option<&'static str>,
}

/// The parameters of `kernel` in `source`; none if a macro or a template makes the kernel.
pub fn parameters(source: &str, kernel: &str) -> Vec<Parameter> {
    let code = without_comments(source);
    let list = after(&code, kernel).and_then(|rest| rest.split(')').next());
    list.into_iter().flat_map(|list| list.split(',')).map(parameter).collect()
}

/// What the shared arrays of `kernel` consist of, if it has some and all have the same type.
pub fn shared_kind(source: &str, kernel: &str) -> Option<&'static str> {
    let code = without_comments(source);
    let body = after(&code, kernel)?.split("__global__").next()?;
    let mut kinds =
        body.split("__shared__ ").skip(1).map(|text| parameter(text.split(['[', ';']).next()?).kind);
    let first = kinds.next()?;
    first.filter(|_| kinds.all(|kind| kind == first))
}

fn without_comments(source: &str) -> String {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join(" ")
}

/// What follows the name of `kernel` and the parenthesis where it is defined.
fn after<'a>(code: &'a str, kernel: &str) -> Option<&'a str> {
    code.match_indices(kernel).find_map(|(at, _)| {
        let before = &code[..at];
        let after = &code[at + kernel.len()..];
        let rest = after.trim_start().strip_prefix('(')?;
        let head = before.strip_suffix(char::is_whitespace)?.rsplit([';', '{', '}']).next()?;
        head.contains("__global__").then_some(rest)
    })
}

fn parameter(text: &str) -> Parameter {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let name = words.pop().unwrap_or_default().to_string();
    words.retain(|word| !matches!(*word, "const" | "volatile" | "__restrict__"));
    Parameter { name, kind: kind(&words.join(" ")) }
}

fn kind(words: &str) -> Option<&'static str> {
    Some(match words {
        "signed char" | "int8_t" => "i8",
        "short" | "int16_t" => "i16",
        "int" | "int32_t" => "i32",
        "long long" | "int64_t" => "i64",
        "unsigned" | "unsigned int" | "uint32_t" => "u32",
        "unsigned long long" | "uint64_t" => "u64",
        "float" => "f32",
        "double" => "f64",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{parameters, shared_kind};

    const SOURCE: &str = "// void reduce(wrong)\n\
        extern \"C\" __global__ void __launch_bounds__(64)\n    reduce(const int *g_a, // first\n\
        \x20   float *__restrict__ g_odata, unsigned long long size)\n{\n}\n\
        __global__ void call(Node *nodes) { reduce(nodes); }\n";

    #[test]
    fn parameters_have_the_names_and_types_of_the_source() {
        let of = |kernel| {
            let all = parameters(SOURCE, kernel).into_iter();
            all.map(|one| (one.name, one.kind.unwrap_or("-"))).collect::<Vec<_>>()
        };
        let is = |name: &str, kind| (name.to_string(), kind);
        assert_eq!(of("reduce"), [is("g_a", "i32"), is("g_odata", "f32"), is("size", "u64")]);
        assert_eq!(of("call"), [is("nodes", "-")]);
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
    }
}
