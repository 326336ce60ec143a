//! Edits that are made already, found again by what they touch, so that the next one is priced on top of those that matter to it.

use super::{Edit, Touched};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

/// Edits of one frame structure, in the order in which they were made.
#[derive(Debug, Default)]
pub struct Made<'a> {
    edits: Vec<Step<'a>>,
    touched: Vec<Touched>,
    by_pass: BTreeMap<u32, Vec<usize>>,
    by_transfer: BTreeMap<u32, Vec<usize>>,
}

/// An edit, and the GPUs for which it is made; `None`: for all.
pub type Step<'a> = (Edit, Option<&'a BTreeSet<String>>);

impl<'a> Made<'a> {
    /// Makes further edits.
    pub fn add(&mut self, edits: &[Edit], gpus: Option<&'a BTreeSet<String>>) {
        for edit in edits {
            let touched = edit.touches();
            let number = self.edits.len();
            touched.passes.iter().for_each(|pass| self.by_pass.entry(*pass).or_default().push(number));
            touched.transfers.iter().for_each(|transfer| self.by_transfer.entry(*transfer).or_default().push(number));
            self.edits.push((*edit, gpus));
            self.touched.push(touched);
        }
    }

    /// Every edit.
    pub fn all(&self) -> (&[Step<'a>], Touched) {
        let mut touched = Touched::default();
        self.touched.iter().for_each(|t| touched.extend(t));
        (&self.edits, touched)
    }

    /// The edits that change what is touched, those that change what these touch, and so on. `touched` grows accordingly.
    pub fn near(&self, touched: &mut Touched) -> Vec<Step<'a>> {
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut look = touched.clone();
        while look != Touched::default() {
            let passes = look.passes.iter().filter_map(|pass| self.by_pass.get(pass));
            let transfers = look.transfers.iter().filter_map(|transfer| self.by_transfer.get(transfer));
            let new: Vec<usize> =
                passes.chain(transfers).flatten().copied().filter(|number| !found.contains(number)).collect();
            look = Touched::default();
            for number in new {
                let Some(more) = self.touched.get(number).filter(|_| found.insert(number)) else { continue };
                look.passes.extend(more.passes.difference(&touched.passes));
                look.transfers.extend(more.transfers.difference(&touched.transfers));
            }
            touched.extend(&look);
        }
        found.into_iter().filter_map(|number| self.edits.get(number).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Aspects, StoreOp};
    use alloc::vec;

    #[test]
    fn an_edit_stands_on_those_that_touch_what_it_touches_however_far_away_they_began() {
        let store = |pass| Edit::SetStore { pass, attachment: 0, aspect: Aspects::COLOR, op: StoreOp::DontCare };
        let resolve = |pass, transfer| Edit::ResolveInPass { pass, subpass: 0, slot: 0, transfer };
        let mut made = Made::default();
        made.add(&[store(0), resolve(1, 7), store(2)], None);
        made.add(&[Edit::DropTransfer { transfer: 7 }], None);
        let mut touched = Edit::DropTransfer { transfer: 7 }.touches();
        let near: Vec<Edit> = made.near(&mut touched).into_iter().map(|(edit, _)| edit).collect();
        assert_eq!(near, vec![resolve(1, 7), Edit::DropTransfer { transfer: 7 }]);
        assert_eq!(touched.passes, BTreeSet::from([1]));
    }
}
