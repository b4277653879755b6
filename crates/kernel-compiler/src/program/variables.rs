//! The names of a program's variables, as the PTX has them.

/// The managed variables that LLVM's `ir` defines, and the device's others. Constants without a name of
/// their own are read by both sides.
pub fn variables(ir: &str) -> (Vec<String>, Vec<String>) {
    let definitions = ir.lines().filter_map(|line| line.strip_prefix('@')?.split_once(" = "));
    let device = definitions.filter(|(name, what)| {
        let is_here = !what.contains("external ") && !what.contains("extern_weak ");
        let is_changed = what.contains(" global ") || what.contains("externally_initialized");
        let is_there_all_the_time = what.contains("addrspace(1)") || what.contains("addrspace(4)");
        is_here && is_changed && is_there_all_the_time && !name.starts_with("llvm.")
    });
    let (managed, others): (Vec<_>, Vec<_>) =
        device.partition(|(_, what)| what.contains("section \"managed\""));
    let names = |all: Vec<(&str, &str)>| {
        all.iter().map(|(name, _)| own_name(name.trim_matches('"')).replace('.', "_$_")).collect()
    };
    (names(managed), names(others))
}

/// What clang appends to the name of a static variable that the host uses too, before a number.
const OF_THE_FILE: &str = "__static__";

/// The name of a variable without what clang appends.
fn own_name(name: &str) -> &str {
    name.split_once(OF_THE_FILE).map_or(name, |(own, _)| own)
}

/// `ptx` with static variables under their own names. clang uses both names for one that it reads before it
/// knows that the host uses it too, and declares the one as `.extern`.
pub fn with_own_names(ptx: &str) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut text = String::with_capacity(ptx.len());
    let mut renamed = Vec::new();
    let mut rest = ptx;
    while let Some((before, behind)) = rest.split_once(OF_THE_FILE) {
        text += before;
        renamed.push(text[text.rfind(|c| !is_of_name(c)).map_or(0, |at| at + 1)..].to_owned());
        rest = behind.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    text += rest;
    if renamed.is_empty() {
        return text;
    }
    let is_declaration = |line: &&str| {
        let declared = line.strip_prefix(".extern ").and_then(|line| line.rsplit(' ').next());
        let name = declared.map(|name| &name[..name.find(|c| !is_of_name(c)).unwrap_or(name.len())]);
        name.is_some_and(|name| renamed.iter().any(|known| known == name))
    };
    text.split_inclusive('\n').filter(|line| !is_declaration(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_devices_variables_are_told_from_llvms_text() {
        let ir = "@d = dso_local addrspace(1) externally_initialized global i32 0, align 4\n\
                  @c = dso_local addrspace(4) externally_initialized constant float 0.0, align 4\n\
                  @m = addrspace(1) externally_initialized global i32 0, section \"managed\", align 4\n\
                  @s.x = internal addrspace(1) global i32 0, align 4\n\
                  @shared = internal addrspace(3) global i32 undef, align 4\n\
                  @threadIdx = extern_weak dso_local addrspace(1) global %struct.WB_threadIdx, align 1\n\
                  @table = private unnamed_addr constant [3 x float] zeroinitializer, align 4\n\
                  @llvm.used = appending global [1 x ptr] [ptr @d], section \"llvm.metadata\"\n";
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        assert_eq!(variables(ir), (names(&["m"]), names(&["d", "c", "s_$_x"])));
    }

    #[test]
    fn a_static_variable_has_one_name() {
        let ptx = ".extern .global .align 4 .u32 x;\n.extern .shared .align 4 .b8 y[];\n\
                   .visible .global .align 4 .u32 x__static__ef65d5958420cdcf;\n\
                   ld.global.u32 %r1, [x__static__ef65d5958420cdcf];\nld.global.u32 %r2, [x];\n";
        let expected = ".extern .shared .align 4 .b8 y[];\n.visible .global .align 4 .u32 x;\n\
                        ld.global.u32 %r1, [x];\nld.global.u32 %r2, [x];\n";
        assert_eq!(with_own_names(ptx), expected);
    }
}
