//! A page has one core, no GPU, and starts no programs.

use anyhow::Result;

/// What `work` gives for each of `items`.
pub fn each<T, R>(items: &[T], work: impl Fn(&T) -> Result<R>) -> Result<Vec<R>> {
    items.iter().map(work).collect()
}

pub mod installed {
    use std::path::Path;

    use anyhow::{Result, bail};
    use workbook::build::call::Ptx;
    use workbook::build::compiler::Maker;

    use crate::source::Exercise;

    /// There is none.
    #[derive(Clone)]
    pub enum Installed {}

    impl Installed {
        pub fn find(_: &Path) -> Result<Option<Installed>> {
            Ok(None)
        }

        pub fn wanted(_: Maker, _: &Path) -> Result<Installed> {
            bail!("a page has one compiler")
        }

        pub fn name(&self) -> String {
            match *self {}
        }

        pub fn is_clang(&self) -> bool {
            match *self {}
        }

        pub fn ptx(&self, _: &Exercise, _: &str, _: bool) -> Result<Ptx> {
            match *self {}
        }
    }
}

pub mod gpu {
    use std::path::Path;

    use anyhow::{Result, bail};
    use workbook::device::Device;

    use crate::plan::Plan;
    use crate::source::Exercise;

    pub fn check(_: &Path, _: &Exercise, _: &Plan, _: &Device) -> Result<Result<String, String>> {
        bail!("a page has no GPU")
    }
}

pub mod rust {
    use std::path::Path;

    use anyhow::{Result, bail};

    use crate::options::COMMAND;
    use crate::source::Exercise;
    use crate::verdict::Verdict;

    pub fn mark(_: &Path, exercise: &Exercise, _: &str, _: &str) -> Result<Verdict> {
        let Exercise { id, path, .. } = exercise;
        bail!("{id} is in Rust, which a page does not compile: edit {path}, then {COMMAND} {id}")
    }
}
