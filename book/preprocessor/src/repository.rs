//! Where the book's repository is, if that is known: from the configuration of mdBook, which a workflow that
//! publishes the book sets, or else from where this clone came.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use workbook::text::columns::escape;

use crate::directive::Words;
use crate::page::Page;

/// `, <https://host/owner/name>` as a link; nothing where the address is not known.
pub fn repository(page: &mut Page, _: &Words) -> Result<String> {
    let link = |address: &String| {
        let address = escape(address);
        format!(", <a href=\"{address}\">{address}</a>")
    };
    Ok(page.book.repository.as_ref().map_or(String::new(), link))
}

/// The repository's address: `configured`, or that of the remote `origin` of the clone at `root`. `None` if
/// there is no remote, or if it is none that a reader could open.
pub fn address(configured: Option<&str>, root: &Path) -> Option<String> {
    if let Some(address) = configured {
        return public(address);
    }
    let git = Command::new("git").arg("-C").arg(root).args(["config", "--get", "remote.origin.url"]).output();
    public(String::from_utf8(git.ok()?.stdout).ok()?.trim())
}

/// The address of a page, `https://host/owner/name`, of what git fetches from. Names and passwords are left
/// out; a path, or a host that only this machine or its network knows, is none.
fn public(remote: &str) -> Option<String> {
    let (host, path) = match remote.split_once("://") {
        Some(("http" | "https" | "ssh" | "git", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        // As scp has it: git@host:owner/name.git
        None => remote.split_once(':')?,
    };
    let host = host.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    let ends_in_a_word = host.rsplit_once('.')?.1.chars().all(|c| c.is_ascii_alphabetic());
    if !host.chars().all(is_letter)
        || !ends_in_a_word
        || [".local", ".internal", ".lan"].iter().any(|end| host.ends_with(end))
    {
        return None;
    }
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_path = !path.is_empty() && path.chars().all(|c| is_letter(c) || "/_~".contains(c));
    is_path.then(|| format!("https://{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_a_reader_can_open() {
        for remote in [
            "https://example.org/owner/book.git",
            "https://name:secret@example.org/owner/book",
            "git@example.org:owner/book.git",
            "ssh://git@example.org:2222/owner/book.git/",
        ] {
            assert_eq!(public(remote).as_deref(), Some("https://example.org/owner/book"), "{remote}");
        }
        for remote in [
            "",
            "/home/somebody/book",
            "../book.git",
            "C:\\book",
            "file:///srv/book.git",
            "https://localhost/book",
            "http://127.0.0.1:3000/owner/book",
            "git@server:owner/book",
            "https://git.lab.internal/book",
            "https://example.org/",
            "https://example.org/a\" onclick=\"b",
        ] {
            assert_eq!(public(remote), None, "{remote}");
        }
    }

    #[test]
    fn a_configured_address_comes_first() {
        let nowhere = Path::new("not there");
        assert_eq!(
            address(Some("https://example.org/book"), nowhere).as_deref(),
            Some("https://example.org/book")
        );
        assert_eq!(address(None, nowhere), None);
    }
}
