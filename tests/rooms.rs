//! The rooms of the house: what Cargo does not hold. The crates of the ground know nothing of the workbook;
//! within a package, no two folders import each other, and no file imports itself by way of others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Who imports whom.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The files below `directory`, each with its text; module files as their folder, `device/mod.rs` as
/// `device`. A folder with a manifest is a package of its own.
fn modules(directory: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let full =
            [prefix, &name].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("::");
        if path.join("Cargo.toml").exists() || ["examples", "tests"].contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            modules(&path, &full, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = if name == "mod" { prefix.to_string() } else { full };
            found.insert(module, without_tests(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The text before its tests.
fn without_tests(text: &str) -> String {
    let end = ["mod", "pub mod"].iter().filter_map(|word| text.find(&format!("#[cfg(test)]\n{word} "))).min();
    text[..end.unwrap_or(text.len())].to_string()
}

/// The imports of every file below `root`, its crate's root: by paths that begin with `crate::`, `super::` or
/// the name of a child, in `use` or elsewhere. What a folder's module file re-exports counts as the folder
/// itself.
fn imports(root: &str) -> Graph {
    let mut files = BTreeMap::new();
    modules(&workbook::root().unwrap().join(root), "", &mut files);
    files.remove("lib");
    let mut graph = Graph::new();
    for (module, text) in &files {
        let code =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        let mut to = BTreeSet::new();
        let below = format!("{module}::");
        let children = files.keys().filter_map(|other| other.strip_prefix(&below)?.split("::").next());
        for path in paths(&code, module, children.collect()) {
            // The longest part of the path that is a file.
            let parts: Vec<&str> = path.split("::").collect();
            let known = (1..=parts.len())
                .rev()
                .map(|end| parts[..end].join("::"))
                .find(|path| files.contains_key(path));
            to.extend(known.filter(|known| known != module));
        }
        graph.insert(module.clone(), to);
    }
    graph
}

/// The paths in `code` of `module`, from the crate's root.
fn paths(code: &str, module: &str, children: BTreeSet<&str>) -> Vec<String> {
    let mut found = Vec::new();
    let starts = ["crate", "super"].into_iter().chain(children.iter().copied());
    for start in starts.map(|start| format!("{start}::")) {
        for (at, _) in code.match_indices(&start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
                || children.contains(start.trim_end_matches("::")) && code[..at].ends_with("pub use ")
            {
                continue;
            }
            let mut rest = &code[at..];
            let mut base: Vec<&str> = module.split("::").collect();
            if let Some(after) = rest.strip_prefix("crate::") {
                base = Vec::new();
                rest = after;
            }
            while let Some(after) = rest.strip_prefix("super::") {
                base.pop();
                rest = after;
            }
            let base = base.join("::");
            for path in spelled(rest) {
                found.push(
                    [base.as_str(), &path]
                        .iter()
                        .filter(|part| !part.is_empty())
                        .copied()
                        .collect::<Vec<_>>()
                        .join("::"),
                );
            }
        }
    }
    found
}

/// The paths that `a::{b, c::{d, e}}` at the start of `text` spells.
fn spelled(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let (head, rest) = text.split_at(end);
    let Some(prefix) = head
        .strip_suffix("::")
        .filter(|_| rest.starts_with('{'))
        .or((head.is_empty() && rest.starts_with('{')).then_some(""))
    else {
        return vec![head.to_string()];
    };
    let mut depth = 0;
    let close = rest.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    let inside = &rest[1..close.unwrap_or(rest.len())];
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut depth = 0;
    for c in inside.chars().chain([',']) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    let paths = parts.flat_map(spelled);
    paths.map(|path| if prefix.is_empty() { path } else { format!("{prefix}::{path}") }).collect()
}

/// The graph of the folders that the files lie in.
fn folders(graph: &Graph) -> Graph {
    let room = |module: &str| module.split("::").next().unwrap_or_default().to_string();
    let mut rooms = Graph::new();
    for (module, to) in graph {
        let from = room(module);
        let entry = rooms.entry(from.clone()).or_default();
        entry.extend(to.iter().map(|to| room(to)).filter(|to| *to != from));
    }
    rooms
}

/// All that can be reached from `from`.
fn reached<'a>(graph: &'a Graph, from: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        for to in graph.get(module).into_iter().flatten() {
            if found.insert(to.as_str()) {
                next.push(to);
            }
        }
    }
    found
}

/// Circles, each as the set of its members.
fn circles(graph: &Graph) -> BTreeSet<Vec<&str>> {
    let mut found = BTreeSet::new();
    for module in graph.keys() {
        let back = |other: &&str| reached(graph, other).contains(module.as_str());
        let members: Vec<&str> = reached(graph, module).into_iter().filter(back).collect();
        if !members.is_empty() {
            found.insert(members);
        }
    }
    found
}

/// What is wrong with a graph that has circles, and what to do.
fn advice(package: &str, graph: &Graph) -> String {
    let circles: Vec<String> = circles(graph).iter().map(|circle| circle.join(", ")).collect();
    format!(
        "{package}: these import each other: {}; let the lower one return a value, and the upper one use it",
        circles.join("; ")
    )
}

/// The packages of the workspace: their folders, from the root of the repository.
fn packages() -> Vec<String> {
    let manifest = std::fs::read_to_string(workbook::root().unwrap().join("Cargo.toml")).unwrap();
    let (_, list) = manifest.split_once("\nmembers = [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    let mut folders = vec![String::new()];
    for member in list.split(',').map(|member| member.trim().trim_matches('"')) {
        let Some(parent) = member.strip_suffix("/*") else {
            folders.push(format!("{member}/"));
            continue;
        };
        for entry in std::fs::read_dir(workbook::root().unwrap().join(parent)).unwrap() {
            folders.push(format!("{parent}/{}/", entry.unwrap().file_name().display()));
        }
    }
    folders
}

/// Cargo refuses a circle of packages. That `crates/` is the ground, which knows nothing of the workbook that
/// stands on it, is held here.
#[test]
fn no_crate_of_the_ground_depends_on_the_workbook() {
    let mut ground = 0;
    for package in packages().iter().filter(|package| package.starts_with("crates/")) {
        let manifest = workbook::root().unwrap().join(package).join("Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        let paths = manifest.lines().filter(|line| line.contains("path = "));
        for line in paths.filter(|line| !line.starts_with("path = ")) {
            assert!(line.contains("path = \"../") && !line.contains("../.."), "{package}: {line}");
        }
        ground += 1;
    }
    assert!(ground >= 11, "{ground} crates");
}

#[test]
fn no_two_folders_of_a_package_import_each_other() {
    for package in packages() {
        let rooms = folders(&imports(&format!("{package}src")));
        assert!(circles(&rooms).is_empty(), "{}", advice(&package, &rooms));
    }
    let rooms = folders(&imports("crates/ptx-simulator/src"));
    assert!(rooms.len() >= 7, "{rooms:?}");
    // What the map of src/lib.rs says.
    let rooms = folders(&imports("src"));
    assert!(rooms["record"].is_empty() && rooms["chapter"].contains("figure"), "{rooms:?}");
}

/// A chapter is one room: its list of variants names what its files do, and they find themselves in it.
#[test]
fn no_file_imports_itself_by_way_of_others() {
    for package in packages().iter().filter(|package| *package != "chapters/") {
        let mut graph = imports(&format!("{package}src"));
        // A module file that only gathers the others is no one's source.
        graph.retain(|module, _| !module.is_empty());
        assert!(circles(&graph).is_empty(), "{}", advice(package, &graph));
    }
}

#[test]
fn grouped_imports_are_read() {
    assert_eq!(spelled("a::{b, c::{d, e}}; f"), ["a::b", "a::c::d", "a::c::e"]);
    let code =
        "use super::{x, y::Z}; crate::w(); use child::V; stepchild::V; super::child::V; pub use child::W";
    let expected = ["w", "room::x", "room::y::Z", "room::child::V", "room::file::child::V"];
    assert_eq!(paths(code, "room::file", BTreeSet::from(["child"])), expected);
}
