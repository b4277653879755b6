//! Names of kernels and variables: as PTX has them, and as the source does.

use anyhow::{Context, Result, bail, ensure};
use cpp_demangle::{DemangleOptions, Symbol};
use cuda_source::parameters::Kernel;
use device::Module;
use text::near::nearest;

/// The kernel called `asked`, as PTX names it or as the source does; without a name the only one.
pub fn kernel<'m>(module: &'m Module, asked: Option<&str>, templates: &[Kernel]) -> Result<&'m str> {
    let kernels = module.kernels();
    // A file that includes CUB or Thrust has their kernels too; those run if they are asked for.
    let (libraries, own): (Vec<&String>, Vec<&String>) = kernels.iter().partition(|name| is_of_library(name));
    let is_asked = |template: &&Kernel| {
        asked.is_none_or(|asked| asked.split('<').next().map(str::trim_end) == Some(template.name))
    };
    let template = templates.iter().find(is_asked);
    let hint = template.map_or(String::new(), |template| {
        format!(
            "\n{} is a template, which becomes a kernel only where it is instantiated: add a line such \
             as `{}`",
            template.name,
            instance(template, asked)
        )
    });
    let none = if templates.is_empty() {
        "no `.entry` in PTX, no `__global__` in CUDA C++"
    } else {
        "only a template"
    };
    ensure!(!kernels.is_empty(), "there is no kernel in it: {none}{hint}");
    let choice = if own.is_empty() { &libraries } else { &own };
    let all = || choice.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    let named: Vec<&String> = match asked {
        None => own.clone(),
        Some(asked) => match kernels.iter().find(|name| *name == asked) {
            Some(exact) => vec![exact],
            None => kernels.iter().filter(|name| is_named(name, asked)).collect(),
        },
    };
    match (&named[..], asked) {
        ([one], _) => Ok(one),
        ([], Some(asked)) if hint.is_empty() => {
            bail!("no kernel is named {asked}; {}", meant(asked, choice))
        }
        ([], Some(asked)) => bail!("no kernel is named {asked}; there are: {}{hint}", listed(choice)),
        (_, Some(asked)) => bail!("several kernels are named {asked}; give the whole name, of: {}", all()),
        ([], None) => {
            bail!("the only kernels are those of a library; give --kernel one of: {}{hint}", all())
        }
        (_, None) => bail!("there are several kernels; give --kernel one of: {}", listed(choice)),
    }
}

/// The line that makes a kernel of a template, for the types that `asked` names, `scale<int>`; for `float` if
/// it names none.
fn instance(template: &Kernel, asked: Option<&str>) -> String {
    let default = if template.types.is_empty() { "256" } else { "float" };
    let asked = asked.and_then(|asked| asked.split_once('<'));
    let arguments = asked.map_or(default, |(_, arguments)| arguments.trim_end().trim_end_matches('>'));
    let types: Vec<(&str, &str)> =
        template.types.iter().copied().zip(arguments.split(',').map(str::trim)).collect();
    let mut parameters = String::new();
    let mut rest = &*template.parameters;
    while !rest.is_empty() {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let length = match rest.find(|c| !is_part(c)) {
            Some(0) => rest.chars().next().map_or(0, char::len_utf8),
            Some(end) => end,
            None => rest.len(),
        };
        let (word, behind) = rest.split_at(length);
        parameters += types.iter().find(|(name, _)| *name == word).map_or(word, |(_, given)| given);
        rest = behind;
    }
    format!("template __global__ void {}<{arguments}>({parameters});", template.name)
}

/// `sum` of `_Z3sumPKiPi`.
pub fn short(kernel: &str) -> &str {
    cuda_source::parameters::source_name(kernel)
}

/// The variable of the module that PTX or the source calls `asked`, as PTX names it.
pub fn variable<'m>(module: &'m Module, asked: &str) -> Result<&'m str> {
    let variables = module.ptx().variables();
    let found = variables.iter().copied().find(|name| *name == asked || is_named(name, asked));
    found.with_context(|| {
        let all = if variables.is_empty() { "none".to_string() } else { variables.join(", ") };
        format!("there is no variable {asked}; there are: {all}")
    })
}

/// `lab::sum<int>` of a kernel that is not `extern "C"`: its name in the source, without the types of its
/// parameters.
fn source_name(kernel: &str) -> Option<String> {
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(kernel).ok()?.demangle_with_options(&options).ok()
}

fn is_of_library(kernel: &str) -> bool {
    let name = source_name(kernel).unwrap_or_default();
    ["cub::", "thrust::"].iter().any(|library| name.starts_with(library))
}

/// The whole of a function in C++: what it returns, if its name says that, its name and its parameters.
pub fn demangled(function: &str) -> Option<String> {
    Symbol::new(function).ok()?.demangle().ok()
}

/// Names as the source has them, in place of those that the compiler made of them.
pub fn readable(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_Z") {
        let (before, name) = rest.split_at(at);
        let (name, after) = name.split_at(name.find(|c| !is_part(c)).unwrap_or(name.len()));
        out += before;
        out += &source_name(name).unwrap_or(name.to_string());
        rest = after;
    }
    out + rest
}

/// Whether the source calls `kernel` so; what a template is made for may be left out.
fn is_named(kernel: &str, asked: &str) -> bool {
    let is_same = |name: String| name == asked || name.split('<').next() == Some(asked);
    source_name(kernel).is_some_and(is_same)
}

/// The kernels as the source names them; where it has several of a name, as PTX does besides.
fn listed(kernels: &[&String]) -> String {
    let name = |kernel: &str| source_name(kernel).unwrap_or(kernel.to_string());
    let is_alone = |kernel: &str| kernels.iter().filter(|other| name(other) == name(kernel)).count() == 1;
    let one = |kernel: &&String| if is_alone(kernel) { name(kernel) } else { shown(kernel) };
    kernels.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The kernel that is meant by a name that none has; else all that there are.
fn meant(asked: &str, kernels: &[&String]) -> String {
    let names: Vec<String> = kernels.iter().filter_map(|kernel| source_name(kernel)).collect();
    let own = names.iter().chain(kernels.iter().copied()).map(String::as_str);
    match nearest(asked, own) {
        Some(name) => format!("write {name}"),
        None => format!("there are: {}", listed(kernels)),
    }
}

fn shown(kernel: &str) -> String {
    source_name(kernel).map_or(kernel.to_string(), |name| format!("{kernel} ({name})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_has_its_name_in_ptx_and_in_the_source() {
        for (kernel, name) in
            [("_Z3sumPKiPi", "sum"), ("_ZN3lab3sumEv", "lab::sum"), ("_Z6reduceILi256EEvPi", "reduce<256>")]
        {
            assert_eq!(source_name(kernel).as_deref(), Some(name));
            assert!(is_named(kernel, name));
        }
        let kernels = ["_Z9transposePfS_ii", "_Z3sumPKi", "_Z3sumPKf"].map(String::from);
        let kernels: Vec<&String> = kernels.iter().collect();
        assert_eq!(meant("tranpose", &kernels), "write transpose");
        assert_eq!(meant("other", &kernels), "there are: transpose, _Z3sumPKi (sum), _Z3sumPKf (sum)");
        assert!(is_named("_Z6reduceILi256EEvPi", "reduce") && !is_named("_ZN3lab3sumEv", "sum"));
        assert_eq!(readable("in _Z6reduceILi256EEvPi, or _Zero"), "in reduce<256>, or _Zero");
        assert!(is_of_library("_ZN3cub17CUB_300001_SM_7506detail11EmptyKernelIvEEvv"));
        for other in ["sum", "_Z", "_Z9sum", "_Z99999999999999999999999sum"] {
            assert_eq!(source_name(other), None, "{other}");
        }
    }
}
