//! What a newcomer reads first is short.

use crate::{read, root};

/// Lines of a screen, and columns.
const SCREEN: usize = 55;
const COLUMNS: usize = 130;
/// Recipes of `contributing/`.
const RECIPES: usize = 11;

#[test]
fn the_readme_is_two_screens_and_a_recipe_a_page() {
    let recipes = std::fs::read_dir(root().join("contributing")).unwrap().map(|file| file.unwrap().path());
    let recipes: Vec<_> = recipes.collect();
    assert_eq!(recipes.len(), RECIPES, "RECIPES in tests/builds/guides.rs counts contributing/");
    let contributing = root().join("CONTRIBUTING.md");
    let index = read(&contributing);
    for recipe in &recipes {
        let name = recipe.file_name().unwrap().to_str().unwrap();
        assert!(index.contains(&format!("(contributing/{name})")), "CONTRIBUTING.md does not lead to {name}");
    }
    let pages = recipes.into_iter().map(|recipe| (recipe, 1));
    let guides = [(root().join("README.md"), 2), (contributing, 2), (root().join("RUNNING.md"), 3)];
    for (guide, screens) in pages.chain(guides) {
        let text = read(&guide);
        let lines = text.lines().count();
        assert!(lines <= screens * SCREEN, "{} has {lines} lines", guide.display());
        let wide = text.lines().find(|line| line.chars().count() > COLUMNS);
        assert_eq!(wide, None, "{}: over {COLUMNS} columns", guide.display());
    }
}
