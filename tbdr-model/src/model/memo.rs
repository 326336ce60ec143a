//! What has been concluded from a pass, so that GPUs that conclude by the same figures share it.
//!
//! Most profiles differ in one or two figures, and most conclusions rest on others: how big a chip's tile memory is does not decide
//! what its driver loads. A family therefore concludes in steps, each by no more than it rests on, and a step that another profile has
//! taken already is recalled. Nothing is ever concluded differently because of it.
//!
//! Of a pass that only one GPU is asked about nothing is kept for others ([`Memo::default`]): only what that GPU asks several times.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::cell::RefCell;
use core::fmt;

/// Conclusions about a pass, by the type of what they rest on and of what they are.
#[derive(Default)]
pub struct Memo {
    shelves: RefCell<Vec<Shelf>>,
    /// Whether several GPUs are asked about the pass.
    shares: bool,
}

/// All conclusions of one kind.
struct Shelf {
    of: TypeId,
    /// A `Vec<(K, T)>`.
    known: Box<dyn Any>,
}

impl Memo {
    /// One that keeps for other GPUs what one has concluded.
    pub fn sharing() -> Self {
        Self { shares: true, ..Self::default() }
    }

    /// Whether it keeps for other GPUs what one has concluded.
    pub fn shares(&self) -> bool {
        self.shares
    }

    /// What follows from the pass and `basis`: recalled if it has been concluded before, for whichever GPU.
    ///
    /// The type `K` belongs to one step of one family; it holds everything beside the pass that the conclusion rests on. To conclude
    /// may recall other steps.
    pub fn by<K: PartialEq + 'static, T: Clone + 'static>(&self, basis: K, conclude: impl FnOnce(&K) -> T) -> T {
        if self.shares { self.again(basis, conclude) } else { conclude(&basis) }
    }

    /// The same for what one GPU asks several times.
    pub fn again<K: PartialEq + 'static, T: Clone + 'static>(&self, basis: K, conclude: impl FnOnce(&K) -> T) -> T {
        self.recalled(|known: &K| *known == basis).unwrap_or_else(|| {
            let found = conclude(&basis);
            self.put(basis, found)
        })
    }

    /// The conclusion whose basis `is` the one meant: [`Self::by`] where a basis is costly to own.
    pub fn known<K: 'static, T: Clone + 'static>(&self, is: impl Fn(&K) -> bool) -> Option<T> {
        if self.shares { self.recalled(is) } else { None }
    }

    fn recalled<K: 'static, T: Clone + 'static>(&self, is: impl Fn(&K) -> bool) -> Option<T> {
        let (shelves, of) = (self.shelves.borrow(), TypeId::of::<(K, T)>());
        let shelf = shelves.iter().find(|shelf| shelf.of == of)?.known.downcast_ref::<Vec<(K, T)>>()?;
        // Profiles stand by family and by age: the last one is the likeliest.
        shelf.iter().rev().find(|(basis, _)| is(basis)).map(|(_, known)| known.clone())
    }

    /// Keeps a conclusion with its basis for [`Self::known`], and gives it back.
    pub fn keep<K: 'static, T: Clone + 'static>(&self, basis: impl FnOnce() -> K, found: T) -> T {
        if self.shares { self.put(basis(), found) } else { found }
    }

    fn put<K: 'static, T: Clone + 'static>(&self, basis: K, found: T) -> T {
        let (mut shelves, of) = (self.shelves.borrow_mut(), TypeId::of::<(K, T)>());
        let entry = (basis, found.clone());
        match shelves
            .iter_mut()
            .find(|shelf| shelf.of == of)
            .and_then(|shelf| shelf.known.downcast_mut::<Vec<(K, T)>>())
        {
            Some(shelf) => shelf.push(entry),
            None => shelves.push(Shelf { of, known: Box::new(alloc::vec![entry]) }),
        }
        found
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rests_on_one_thing_is_not_taken_for_what_rests_on_another() {
        let memo = Memo::sharing();
        memo.keep(|| 4u32, 2u64);
        memo.keep(|| 6u32, 3u64);
        memo.keep(|| 4u64, 16u64);
        assert_eq!(memo.known::<u32, u64>(|of| *of == 4), Some(2));
        assert_eq!(memo.known::<u64, u64>(|of| *of == 4), Some(16));
        assert_eq!(memo.known::<u32, u64>(|of| *of == 5), None);
        assert_eq!(memo.known::<u32, u32>(|of| *of == 4), None);
    }

    #[test]
    fn a_pass_that_one_gpu_is_asked_about_keeps_only_what_that_gpu_asks_again() {
        let memo = Memo::default();
        assert_eq!(memo.by(4u32, |of| u64::from(*of) + 1), 5);
        assert_eq!(memo.by(4u32, |of| u64::from(*of) + 2), 6);
        assert_eq!(memo.again(4u32, |of| u64::from(*of) + 3), 7);
        assert_eq!(memo.again(4u32, |of| u64::from(*of) + 4), 7);
    }
}
