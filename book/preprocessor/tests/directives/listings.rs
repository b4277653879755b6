//! Listings, exercises and terms.

use std::collections::BTreeMap;

use super::*;

#[test]
fn a_listing_comes_from_its_anchor() {
    let page = Repository::new().page("before\n{{#code kernels/k.cu sum}}\nafter\n");
    assert_eq!(
        page,
        "before\n\n```cpp\n__global__ void sum(int *data)\n{\n    data[0] += data[1];\n\n    data[0] += \
         data[2];\n}\n```\n\n<p class=\"listing\" \
         data-anchor=\"sum\" data-lines=\"3+2,6+3,10+1\"><code>kernels/k.cu</code></p>\n\n\n\
         after\n"
    );
}

#[test]
fn an_exercise_is_a_card_with_its_task_its_code_hints_a_solution_and_a_question() {
    let page = unmarked(&Repository::new().page("{{#exercise 3.1}}\n"));
    let places: Vec<_> = [
        "<details class=\"exercise-card\" id=\"exercise-3-1\">\n<summary>Exercise 3.1 · Add them up · 10 \
         min</summary>\n\n*You learn to add up.*\n\n",
        "All **three** of them.\n\n",
        "- The host launches `sum(data, out, n)` with one block.\n",
        "- Goal: no barrier arrivals at n = 96, 96 threads per block.\n",
        "```sh\ncargo run --example exercise -- 3.1\n```",
        "<code>kernels/exercises/3_1_add.cu</code>",
        "<summary>The code, as it is given</summary>\n\n```cpp\nvoid sum(int *data)\n{\n    // Here.\n}\n\
         ```\n\n</details>",
        "<summary>Hint 1</summary>\n\nWhich one is missing?\n\n</details>",
        "<summary>A solution</summary>\n\n```cpp\nvoid sum(int *data)\n{\n    data[0] += data[2];\n}\n```\n\n\
         </details>",
        "<summary>Can you explain it?</summary>\n\nWhy up?\n\n<details class=\"exercise\">\n\
         <summary>An answer</summary>\n\nDown is subtraction.\n\n</details>\n\n</details>",
    ]
    .map(|part| page.find(part).unwrap_or_else(|| panic!("no {part:?} in\n{page}")))
    .into();
    assert!(places.is_sorted(), "{page}");
    assert!(!page.lines().any(|line| line.starts_with('#')), "a heading: {page}");
}

#[test]
fn a_whole_program_is_a_card_with_its_code_and_what_builds_and_runs_it() {
    let repository = Repository::new();
    let program = "kernels/programs/sum.cu";
    fs::create_dir_all(repository.root.join("kernels/programs")).unwrap();
    let code = "//     nvcc -rdc=true -o sum sum.cu && ./sum 8\nint main()\n{\n}\n";
    fs::write(repository.root.join(program), code).unwrap();
    let card = |attributes: &str| {
        format!(
            "<details class=\"program-card\" id=\"program-sum\"{attributes}>\n<summary>The whole program: \
             <code>sum.cu</code></summary>\n\n```cpp\n{code}```\n\n"
        )
    };
    let page = repository.page("{{#program kernels/programs/sum.cu}}\n");
    in_order(
        &page,
        &[
            &card(""),
            "```sh\nnvcc -rdc=true -o sum kernels/programs/sum.cu && ./sum 8\n",
            "simulate -- kernels/programs/sum.cu",
        ],
    );
    let printed = |lines: &str| {
        let text =
            format!("// Printed on a G on 2026-01-02 by x\n// ANCHOR: sum\n{lines}// ANCHOR_END: sum\n");
        fs::write(repository.root.join("kernels/programs/on_a_gpu.txt"), text).unwrap();
        repository.page("{{#program kernels/programs/sum.cu}}\n")
    };
    let few = printed("sum 36\n");
    assert!(few.contains("it printed on a G on 2026-01-02:\n\n```text\nsum 36\n```"), "{few}");
    let many = printed(&"1\n".repeat(5).replace("1\n1\n1", "1\n2\n3").repeat(3));
    assert!(many.contains("```text\n1\n2\n…\n"), "{many}");
    fs::write(repository.root.join("book/src/live/manifest.json"), r#"{"chapters": ["ch3_blocks"]}"#)
        .unwrap();
    let page = repository.page("{{#program kernels/programs/sum.cu}}\n");
    assert!(page.contains(&card(" data-file=\"kernels/programs/sum.cu\"")), "the page runs it: {page}");
}

/// What `theme/exercises.js` makes a cell of it with.
#[test]
fn an_exercise_that_the_page_can_check_says_which_file_it_is() {
    let repository = Repository::new();
    let page = repository.page("{{#exercise 3.1}}\n");
    assert!(!page.contains("data-file"), "nothing checks it: {page}");
    let live = repository.root.join("book/src/live");
    fs::write(live.join("manifest.json"), r#"{"chapters": ["ch3_blocks"]}"#).unwrap();
    let page = repository.page("{{#exercise 3.1}}\n");
    let card = "id=\"exercise-3-1\" data-file=\"kernels/exercises/3_1_add.cu\" data-first=\"13\">";
    let parts = ["code", "hint", "solution", "why"].map(|part| format!("<details class=\"exercise {part}\""));
    in_order(&page, &[&[card], &parts.each_ref().map(String::as_str)[..]].concat());
    let files = fs::read_to_string(live.join("exercises.json")).unwrap();
    let files: BTreeMap<String, String> = serde_json::from_str(&files).unwrap();
    let task = &files["kernels/exercises/3_1_add.cu"];
    assert_eq!(task.lines().nth(12), Some("void sum(int *data)"), "{task}");
    assert!(files.contains_key("kernels/exercises/solutions/3_1_add.cu"));
    assert!(files["kernels/exercises/solutions/3_1_add.json"].contains("\"title\":\"Add them up\""));
}

#[test]
fn all_exercises_are_a_table_with_links_to_their_cards() {
    let repository = Repository::new();
    let pages = repository.root.join("book/src");
    fs::write(pages.join("SUMMARY.md"), "- [Other](other.md)\n- [Many blocks](ch3_blocks.md)\n").unwrap();
    fs::write(pages.join("other.md"), "# Other\n").unwrap();
    fs::write(pages.join("ch3_blocks.md"), "# Many blocks\n").unwrap();
    let page = repository.page("{{#exercises}}\n");
    in_order(
        &page,
        &[
            "<tr><th scope=\"rowgroup\">3 · Many blocks: which thread works?</th>",
            "<tr data-exercise=\"3.1\" data-file=\"kernels/exercises/3_1_add.cu\"><td>3.1 Add them up<br>You \
             learn to add up.</td><td>takes thought</td><td class=\"number\">10</td></tr>",
        ],
    );
    fs::write(pages.join("ch3_blocks.md"), "# Many blocks\n\n{{#exercise 3.1}}\n").unwrap();
    let page = repository.page("{{#exercises}}\n");
    assert!(page.contains("<a href=\"ch3_blocks.md#exercise-3-1\">3.1 Add them up</a>"), "{page}");
}

#[test]
fn a_listing_from_within_a_function_is_moved_left() {
    let page = Repository::new().page("{{#code kernels/k.cu body}}\n");
    assert!(page.contains("```cpp\ndata[0] += data[1];\n\ndata[0] += data[2];\n```"), "{page}");
    assert!(page.contains("data-anchor=\"body\" data-lines=\"6+3\" data-indent=\"4\""), "{page}");
}

#[test]
fn lines_that_another_listing_lacks_are_marked() {
    let page = Repository::new().page("{{#code kernels/k.cu sum against=less}}\n");
    in_order(
        &page,
        &[
            "<div class=\"listing-marked\" style=\"--marks: linear-gradient(transparent 0, transparent 3lh, \
             var(--mark-bar) 3lh 5lh, transparent 5lh); --tint: ",
            "\n\n```cpp\n__global__ void sum(int *data)",
            "</div>",
            "changed: lines 4–5 against <code>less</code>",
            "<code>kernels/k.cu</code>",
        ],
    );
    let same = Repository::new().error("{{#code kernels/k.cu sum against=sum}}\n");
    assert!(same.contains("is the same as that of sum"), "{same}");
    let missing = Repository::new().error("{{#code kernels/k.cu sum against=kernels/k.cu:more}}\n");
    assert!(missing.contains("against=: in kernels/k.cu: no anchor `more`"), "{missing}");
}

#[test]
fn a_term_is_explained_where_it_is_used() {
    let repository = Repository::new();
    let page =
        repository.page("All {{#term warp whole warps}} and a {{#term compute-capability capability}}.\n");
    assert!(page.contains("\u{2063}</span>Up to 32 threads; see lane.<span hidden>\u{2064}"), "{page}");
    let page = unmarked(&page);
    assert!(
        page.starts_with(
            "All <span class=\"term\"><a href=\"glossary.md#warp\" aria-describedby=\"term-page-1\">whole \
             warps</a><span class=\"term-definition\" role=\"tooltip\" id=\"term-page-1\">Up to 32 threads; \
             see lane.</span></span> and a "
        ),
        "{page}"
    );
    assert!(page.contains("id=\"term-page-2\">What a GPU can do.<"), "{page}");
    for (directive, said) in [
        ("{{#term lane lanes}}", "no heading for `lane`; there are: warp, compute-capability"),
        ("{{#term warp}}", "wants arguments: {{#term SLUG WORDS…}}"),
        ("{{#term}}", "{{#term SLUG WORDS…}}"),
    ] {
        let error = repository.error(directive);
        assert!(error.contains(said), "{error}");
    }
}
