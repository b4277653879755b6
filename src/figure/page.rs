//! A film as a page of its own: one file, which asks for nothing else.

use super::film::Film;
use crate::record::columns::escape;

/// The page.
pub fn page(title: &str, film: &Film) -> String {
    let (styles, script) =
        (include_str!("../../book/theme/figures.css"), include_str!("../../book/src/live/player.js"));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{OWN}{styles}</style>\n\
         <h1>{title}</h1>\n{}<script>\n{script}</script>\n",
        film.html(),
        title = escape(title),
    )
}

/// What the book's style sheets say of colours and sizes.
const OWN: &str = "html { font-size: 62.5%; color-scheme: light dark; }
body { max-width: 100rem; margin: 2rem auto; padding: 0 1.5rem; background: var(--bg); color: var(--fg);
  font: 1.6rem/1.45 system-ui, sans-serif; }
h1 { font-size: 2rem; }
:root { --bg: #fff; --fg: #222; --links: #20609f; --line: #ddd; --line-strong: #999;
  --quiet: #595959; --wash: #f5f5f5; --mark-bar: #d98a00; --mark-tint: rgb(255 200 60 / 25%);
  --series-1: #0072b2; --series-2: #b84a00; --series-3: #007a56; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #16181d; --fg: #d5d8de; --links: #6cb4e4; --line: #333; --line-strong: #888;
    --quiet: #a0a4ab; --wash: #20232a; --mark-bar: #e0a030; --mark-tint: rgb(224 160 48 / 20%);
    --series-1: #5ab4f0; --series-2: #ff9e4a; --series-3: #3fc79a; --bad: #ff7b7b; }
}
.film .drawn { max-width: 100%; }
";
