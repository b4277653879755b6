//! In place of the crate libloading where there are no libraries to load: in a browser.

use std::ffi::OsStr;
use std::io::{Error, ErrorKind};

/// No such thing.
pub enum Library {}
/// What a library would have.
pub type Symbol<'a, T> = &'a T;

impl Library {
    /// # Safety
    /// Nothing is loaded.
    pub unsafe fn new(_: impl AsRef<OsStr>) -> Result<Library, Error> {
        Err(ErrorKind::Unsupported.into())
    }

    /// # Safety
    /// Nobody can call it.
    pub unsafe fn get<T>(&self, _: impl Sized) -> Result<Symbol<'_, T>, Error> {
        match *self {}
    }
}
