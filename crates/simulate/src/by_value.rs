//! Containers of nodes that a program passes by value: their objects point into themselves, and device mode
//! passes an object as its bytes (`program/relocated.rs` in the crate `kernel-compiler`).

use super::names::demangled;

/// Those of C++'s library.
const CONTAINERS: [&str; 9] = [
    "list",
    "map",
    "multimap",
    "multiset",
    "set",
    "unordered_map",
    "unordered_multimap",
    "unordered_multiset",
    "unordered_set",
];

/// Why the program in `ptx` cannot be run, if one of its functions takes such a container by value.
pub fn refusal(ptx: &str) -> Option<String> {
    let heads = ptx.lines().filter(|line| line.contains(".func ") && !line.starts_with(".extern"));
    heads.filter_map(|head| refused(&demangled(name(head)?)?)).next()
}

/// The name in the head of a function: `.func (.param .b32 func_retval0) NAME(`.
fn name(head: &str) -> Option<&str> {
    let head = head.rsplit_once(')').map_or(head, |(_, after)| after);
    head.trim_end_matches('(').split_whitespace().last()
}

/// What is wrong with a function, by its whole name in C++.
fn refused(function: &str) -> Option<String> {
    let container = parameters(function).into_iter().find_map(container)?;
    let name = function.split(['(', '<']).next().unwrap_or(function);
    let name = name.rsplit(' ').next().unwrap_or(name);
    Some(format!(
        "{name} takes a std::{container} by value, which the simulator's host cannot do: take it by \
         reference, `const std::{container}<…> &`"
    ))
}

/// The container that a parameter of this type is.
fn container(kind: &str) -> Option<&'static str> {
    let kind = kind.trim().strip_prefix("std::")?.strip_suffix('>')?;
    let (name, _) = kind.strip_prefix("__1::").unwrap_or(kind).split_once('<')?;
    CONTAINERS.into_iter().find(|known| *known == name)
}

/// The types between a function's outermost parentheses.
fn parameters(function: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut depth = 0;
    let mut start = None;
    for (at, mark) in function.char_indices() {
        match mark {
            '<' | '(' => {
                if mark == '(' && depth == 0 {
                    start = Some(at + 1);
                    all.clear();
                }
                depth += 1;
            }
            '>' | ')' => depth -= 1,
            _ => {}
        }
        let is_end = mark == ',' && depth == 1 || mark == ')' && depth == 0;
        if let (true, Some(from)) = (is_end, start) {
            all.push(&function[from..at]);
            start = (mark == ',').then_some(at + 1);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_of_nodes_that_is_passed_by_value_is_named() {
        let ptx = "\t// .globl\n.visible .func  (.param .b32 func_retval0) \
            _Z5totalNSt3__13mapIiiNS_4lessIiEENS_9allocatorINS_4pairIKiiEEEEEE(\n\t.param .b64 p\n)\n";
        let said = refusal(ptx).unwrap();
        assert!(said.starts_with("total takes a std::map by value, which the simulator's host"), "{said}");
        for (function, container) in [
            ("int f<int>(int, std::__1::list<int, std::__1::allocator<int> >)", Some("list")),
            ("f(std::set<int>, int (*)(int))", Some("set")),
            (
                "f(std::__1::map<int, int> const&, std::__1::list<int>*, std::vector<std::map<int, int> >)",
                None,
            ),
            ("std::__1::map<int, int>::map(std::__1::map<int, int>&&)", None),
            ("main", None),
        ] {
            let found = parameters(function).into_iter().find_map(super::container);
            assert_eq!(found, container, "{function}");
        }
    }
}
