//! libc++'s own headers, of the wheel ziglang, changed as they are read: what a device lacks is left out, and
//! what libc++ keeps in its compiled library gets a body (`kernels/clang/host/library`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use text::path;

use super::edits::edited;
use super::relocated::moved_as_bytes;
use crate::hash;

/// What programs can include, from the repository root.
pub const HOST: &str = "kernels/clang/host";

/// Where libc++'s headers lie in a page, and clang's.
pub const CPP: &str = "/cpp";
/// See [`CPP`].
pub const BUILTIN: &str = "/builtin";

/// The folders of the compiler's own headers.
pub struct Library {
    /// libc++'s.
    pub cpp: PathBuf,
    /// clang's: `stdarg.h`, `limits.h`.
    pub builtin: PathBuf,
    /// The headers that are changed: where each stands, and where its text is.
    pub changed: Vec<(PathBuf, PathBuf)>,
}

/// The headers of mathematics, which are for both sides.
const FOR_BOTH: [&str; 1] = ["cmath"];

/// The headers of classes whose objects own memory and can be moved as their bytes: libc++ itself calls them
/// `__trivially_relocatable`, but for `std::function`, which is so in one of its two forms.
const RELOCATED: [&str; 11] = [
    "__functional/function.h",
    "__memory/shared_ptr.h",
    "__memory/unique_ptr.h",
    "__split_buffer",
    "__vector/vector.h",
    "__vector/vector_bool.h",
    "any",
    "deque",
    "optional",
    "string",
    "variant",
];

/// Functions that clang makes instructions of, which no GPU has: they are called by their names instead.
const CALLED: &str = "\
    acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 expm1 fdim fmod frexp hypot ilogb \
    ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nextafter nexttoward pow \
    remainder remquo round scalbln scalbn sin sinh tan tanh tgamma";

impl Library {
    /// That of the wheel whose program is at `compiler`; changed headers are kept in `scratch`.
    ///
    /// # Errors
    /// The compiler is not the wheel's, or files cannot be written.
    pub fn of(compiler: &Path, scratch: &Path) -> Result<Library> {
        let (cpp, builtin) = folders(compiler)?;
        let changed = changed(&cpp, scratch).context("cannot keep the changed C++ headers")?;
        Ok(Library { cpp, builtin, changed })
    }
}

/// What a page has of the headers of the wheel whose program is at `compiler`, by their paths there: libc++'s
/// as they are read, without comments, but for the licence; and clang's that a program may include.
///
/// # Errors
/// The compiler is not the wheel's, or files cannot be read.
pub fn in_page(compiler: &Path) -> Result<BTreeMap<String, String>> {
    let (cpp, builtin) = folders(compiler)?;
    let bodies = crate::root()?.join(HOST).join("library");
    let changed = names(&cpp, &bodies)?;
    let text = |path: PathBuf| fs::read_to_string(&path).with_context(|| path::shown(&path));
    let mut all = BTreeMap::new();
    for name in files(&cpp)? {
        if ELSEWHERE.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let mut kept = text(cpp.join(&name))?;
        if changed.contains(&name) {
            kept = with_changes(&name, &kept, fs::read_to_string(bodies.join(&name)).ok().as_deref());
        }
        all.insert(format!("{CPP}/{name}"), without_comments(&kept));
    }
    for name in BUILTIN_HEADERS {
        all.insert(format!("{BUILTIN}/{name}"), text(builtin.join(name))?);
    }
    let licence = cpp.parent().unwrap_or(&cpp).join("LICENSE.TXT");
    all.insert(format!("{CPP}/LICENSE.TXT"), text(licence)?);
    Ok(all)
}

/// The folders of libc++ for what no program has here: other standards, threads, locales.
const ELSEWHERE: [&str; 4] = ["experimental/", "ext/", "__locale_dir/", "__cxx03/"];

/// clang's headers that libc++ and programs include and `kernels/clang/host/c` lacks.
const BUILTIN_HEADERS: [&str; 5] = ["iso646.h", "stdalign.h", "stdatomic.h", "stdbool.h", "stdnoreturn.h"];

/// `text` with empty lines in place of those that are comments.
fn without_comments(text: &str) -> String {
    let line =
        |line: &str| if line.trim_start().starts_with("//") { "\n".to_owned() } else { format!("{line}\n") };
    text.lines().map(line).collect()
}

/// The folders of libc++'s and of clang's headers in the wheel whose program is at `compiler`.
fn folders(compiler: &Path) -> Result<(PathBuf, PathBuf)> {
    let folder = dunce::canonicalize(compiler)?.parent().unwrap_or(Path::new("/")).join("lib");
    let cpp = folder.join("libcxx").join("include");
    if !cpp.is_dir() {
        anyhow::bail!(
            "a program needs the C++ headers of the wheel ziglang, and {} has none beside it: \
             install kernels/requirements.txt, and unset CLANG or set it to the wheel's program zig",
            path::shown(compiler)
        );
    }
    Ok((cpp, folder.join("include")))
}

/// The changed headers, made now if they have not been yet.
fn changed(cpp: &Path, scratch: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut texts = Vec::new();
    let bodies = crate::root()?.join(HOST).join("library");
    for name in names(cpp, &bodies)? {
        let text = fs::read_to_string(cpp.join(&name)).with_context(|| name.clone())?;
        let body = fs::read_to_string(bodies.join(&name)).ok();
        texts.push((name.clone(), with_changes(&name, &text, body.as_deref())));
    }
    let all: String = texts.iter().map(|(name, text)| format!("{name}\n{text}")).collect();
    let folder = scratch.join(format!("libcxx-{}", hash::text_hash(&all)));
    if !folder.is_dir() {
        let unfinished = scratch.join(format!("libcxx-{}", std::process::id()));
        for (name, text) in &texts {
            let file = unfinished.join(name);
            fs::create_dir_all(file.parent().unwrap_or(&unfinished))?;
            fs::write(file, text)?;
        }
        // Another program may have been first.
        if fs::rename(&unfinished, &folder).is_err() {
            fs::remove_dir_all(&unfinished)?;
        }
    }
    Ok(texts.iter().map(|(name, _)| (cpp.join(name), folder.join(name))).collect())
}

/// The headers of libc++ that are changed, by their names.
fn names(cpp: &Path, bodies: &Path) -> Result<Vec<String>> {
    let own = ["__algorithm/sort.h", "__new/global_new_delete.h"];
    let mut names: Vec<String> =
        FOR_BOTH.iter().chain(&RELOCATED).chain(&own).map(|name| (*name).to_owned()).collect();
    names.extend(files(&cpp.join("__math"))?.into_iter().map(|name| format!("__math/{name}")));
    for name in files(bodies)? {
        names.push(name);
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// The files below a folder, by their paths from there.
fn files(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| path::shown(folder))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?.into_iter().map(|file| format!("{name}/{file}")));
        } else {
            found.push(name);
        }
    }
    Ok(found)
}

/// The header `name` as it is read: `text` with its substitutions and, at its end, `body`.
fn with_changes(name: &str, text: &str, body: Option<&str>) -> String {
    let mut changed = without_extern_templates(text);
    if RELOCATED.contains(&name) {
        changed = edited(&changed, moved_as_bytes(&changed));
    }
    if name == "__new/global_new_delete.h" {
        // clang declares these operators itself, for both sides.
        changed = format!("WB_BOTH_END\n{changed}\nWB_BOTH_BEGIN\n");
        changed = format!("#ifndef WB_BORDER\n{changed}\n#else\n{text}\n#endif\n");
    }
    if name.starts_with("__math/") {
        changed = with_calls(&changed);
    }
    if name.starts_with("__math/") || FOR_BOTH.contains(&name) {
        changed = changed
            .replace("_LIBCPP_BEGIN_NAMESPACE_STD", "WB_BOTH_BEGIN _LIBCPP_BEGIN_NAMESPACE_STD")
            .replace("_LIBCPP_END_NAMESPACE_STD", "_LIBCPP_END_NAMESPACE_STD WB_BOTH_END");
    }
    if let Some(body) = body {
        let guard: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
            .collect();
        changed =
            format!("{changed}\n#ifndef WB_BODIES_{guard}\n#define WB_BODIES_{guard}\n{body}\n#endif\n");
    }
    changed
}

/// No compiled library has these instances: they are made where they are used.
fn without_extern_templates(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_inside = false;
    for line in text.lines() {
        let starts = line.starts_with("extern template");
        if line.trim_start().starts_with('#') && line.contains("define _LIBCPP_DECLARE(...)") {
            kept += "#define _LIBCPP_DECLARE(...)";
        } else if starts || is_inside {
            is_inside = !line.contains(';');
        } else {
            kept += line;
        }
        kept.push('\n');
    }
    kept
}

/// `::exp(x)` for `__builtin_exp(x)`, and so for `expf` and `expl`.
fn with_calls(text: &str) -> String {
    const BUILTIN: &str = "__builtin_";
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(BUILTIN) {
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        let name = &behind[..end];
        let is_called =
            |known: &str| name.strip_prefix(known).is_some_and(|suffix| matches!(suffix, "" | "f" | "l"));
        changed += before;
        changed += if CALLED.split_whitespace().any(is_called) { "::" } else { BUILTIN };
        rest = behind;
    }
    changed + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_changed_as_they_are_read() {
        let math =
            "_LIBCPP_BEGIN_NAMESPACE_STD\n__builtin_expf(__builtin_fabs(x));\n_LIBCPP_END_NAMESPACE_STD\n";
        let expected = "WB_BOTH_BEGIN _LIBCPP_BEGIN_NAMESPACE_STD\n::expf(__builtin_fabs(x));\n\
                        _LIBCPP_END_NAMESPACE_STD WB_BOTH_END\n";
        assert_eq!(with_changes("__math/x.h", math, None), expected);
        let text =
            "a\nextern template int f(\n  int);\nb\n#  define _LIBCPP_DECLARE(...) extern template x\n";
        let string = with_changes("string", text, Some("body"));
        assert!(string.starts_with("a\n\n\nb\n#define _LIBCPP_DECLARE(...)\n"), "{string}");
        assert!(string.contains("#define WB_BODIES_STRING\nbody\n"), "{string}");
    }
}
