//! Paths as texts: as a reader sees them, and as committed files and PTX hold them.

use std::path::Path;

/// `path` as the platform writes it: on Windows with `\` throughout, where the repository's own paths come
/// with `/`, and without the `\\?\` of a path that was made canonical.
pub fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) { with_backslashes(&text) } else { text }
}

/// [`shown`] on Windows.
fn with_backslashes(path: &str) -> String {
    let path = path.replace('/', "\\");
    match path.strip_prefix(r"\\?\UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => path.strip_prefix(r"\\?\").unwrap_or(&path).to_owned(),
    }
}

/// `path` as committed files and PTX hold it, on every platform: with single `/`, without `.`, and without
/// the `\\?\` of a path that was made canonical. PTX writes each `\` twice.
pub fn committed(path: &str) -> String {
    let mut path = path.replace('\\', "/");
    for more in ["//", "/./"] {
        while path.contains(more) {
            path = path.replace(more, "/");
        }
    }
    match path.strip_prefix("/?/UNC/") {
        Some(share) => format!("/{share}"),
        None => path.strip_prefix("/?/").unwrap_or(&path).to_owned(),
    }
}

/// The path from the directory `root` to `path`, as [`committed`]; `None` if it lies elsewhere. Below a drive
/// of Windows upper and lower case are one.
pub fn below(root: &str, path: &str) -> Option<String> {
    let root = committed(root);
    let root = root.trim_end_matches('/');
    let path = committed(path);
    let (start, rest) = path.split_at_checked(root.len())?;
    let is_on_drive = root.as_bytes().get(1) == Some(&b':');
    let is_start = start == root || is_on_drive && start.eq_ignore_ascii_case(root);
    rest.strip_prefix('/').filter(|_| is_start).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_committed_has_slashes_wherever_it_was_made() {
        for (path, expected) in [
            (r"\\?\C:\w\kernels\x.cu", "C:/w/kernels/x.cu"),
            (r"C:\\w\\kernels\\x.cu", "C:/w/kernels/x.cu"),
            (r"\\\\?\\C:\\w\\x.cu", "C:/w/x.cu"),
            (r"\\?\UNC\server\share\x.cu", "/server/share/x.cu"),
            (r"kernels\x.cu", "kernels/x.cu"),
            ("/w//kernels/x.cu", "/w/kernels/x.cu"),
            ("/w/././kernels/x.cu", "/w/kernels/x.cu"),
            ("./x.cu", "./x.cu"),
        ] {
            assert_eq!(committed(path), expected);
        }
    }

    #[test]
    fn what_is_printed_on_windows_has_backslashes() {
        for (path, expected) in [
            (r"\\?\C:\w/book/records\x.json", r"C:\w\book\records\x.json"),
            (r"\\?\UNC\server\share\x", r"\\server\share\x"),
            ("kernels/x.cu", r"kernels\x.cu"),
        ] {
            assert_eq!(with_backslashes(path), expected);
        }
    }

    #[test]
    fn a_path_below_a_directory_is_found_in_whatever_form() {
        for (root, path, expected) in [
            (r"\\?\C:\w", "C:/w/inc/mine.h", Some("inc/mine.h")),
            (r"C:\w\", r"c:\\W\\inc\\mine.h", Some("inc/mine.h")),
            ("C:/w", "C:/wide/mine.h", None),
            ("C:/w", "D:/w/mine.h", None),
            ("/w", "/w/inc/mine.h", Some("inc/mine.h")),
            ("/w", "/W/inc/mine.h", None),
            ("/", "/kernels/x.cu", Some("kernels/x.cu")),
            ("/wü", "/wä/x", None),
        ] {
            assert_eq!(below(root, path).as_deref(), expected, "{root} {path}");
        }
    }
}
