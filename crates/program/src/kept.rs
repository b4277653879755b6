//! What the libraries keep while a program runs: one value of each type.

use std::any::{Any, TypeId};

/// Values by their types.
#[derive(Debug, Default)]
pub struct Kept(Vec<(TypeId, Box<dyn Any>)>);

impl Kept {
    /// The value of type `T`; its default at first.
    ///
    /// # Panics
    /// Never: a value lies under its own type.
    pub fn get<T: Any + Default>(&mut self) -> &mut T {
        let known = self.0.iter().position(|(id, _)| *id == TypeId::of::<T>());
        let index = known.unwrap_or_else(|| {
            self.0.push((TypeId::of::<T>(), Box::new(T::default())));
            self.0.len() - 1
        });
        self.0[index].1.downcast_mut().expect("a value lies under its own type")
    }
}
