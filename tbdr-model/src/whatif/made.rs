//! Edits that are made already, so that the next one is priced on top of those that matter to it.
//!
//! GPUs for which the same edits are made share a draft of the frame. An edit is made in the draft as it stands, and costs what it touches,
//! however many were made before: a row of passes, each of which continues in the one before, is one pass by the time the next one comes.
//! Merges come last, whatever the order of the advice: if an edit changes a pass that has been merged already, everything that the row
//! stands on is made anew.

use super::part::Numbering;
use super::{Draft, Edit, Numbered, Touched, make};
use crate::frame::FrameStructure;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// Edits of one frame structure, in the order in which they were made.
#[derive(Debug)]
pub struct Made<'a> {
    classes: Vec<Class<'a>>,
}

/// GPUs for which the same edits are made, by number.
#[derive(Clone, Debug)]
struct Class<'a> {
    gpus: Vec<usize>,
    steps: Vec<(Edit, Touched)>,
    by_pass: BTreeMap<u32, Vec<usize>>,
    by_transfer: BTreeMap<u32, Vec<usize>>,
    /// Passes that edits have merged, or have failed to.
    merging: BTreeSet<u32>,
    draft: Draft<'a>,
}

/// What edits change on some GPUs: the part of the frame that they touch, before and after. Images have the same numbers in both.
#[derive(Debug)]
pub struct Change {
    /// The GPUs, by number.
    pub gpus: Vec<usize>,
    /// The part before.
    pub was: FrameStructure,
    /// The part after.
    pub is: FrameStructure,
}

impl<'a> Made<'a> {
    /// No edits yet of a frame that so many GPUs are asked about.
    pub fn new(whole: &'a Numbered<'a>, gpus: usize) -> Self {
        let (steps, by_pass, by_transfer, merging) = Default::default();
        let draft = Draft::of(whole);
        Self { classes: alloc::vec![Class { gpus: (0..gpus).collect(), steps, by_pass, by_transfer, merging, draft }] }
    }

    /// Makes further edits for the GPUs for which they hold.
    pub fn add(&mut self, edits: &[Edit], holds: impl Fn(usize) -> bool) {
        self.holding(holds).for_each(|class| class.add(edits));
    }

    /// The same, and what changes by that.
    pub fn change(&mut self, edits: &[Edit], holds: impl Fn(usize) -> bool) -> Vec<Change> {
        let changed = |class: &mut Class<'a>| {
            let touched = class.concerned(edits);
            let mut numbering = Numbering::default();
            let was = numbering.part(&class.draft, &touched);
            class.add(edits);
            let is = numbering.part(&class.draft, &touched);
            Change { gpus: class.gpus.clone(), was, is }
        };
        self.holding(holds).map(changed).collect()
    }

    /// What all edits change together.
    pub fn all(&self) -> Vec<Change> {
        let changed = |class: &Class<'a>| {
            let (passes, transfers) = (class.by_pass.keys().copied(), class.by_transfer.keys().copied());
            let touched = Touched { passes: passes.collect(), transfers: transfers.collect() };
            let mut numbering = Numbering::default();
            let was = numbering.part(&Draft::of(class.draft.whole), &touched);
            let is = numbering.part(&class.draft, &touched);
            Change { gpus: class.gpus.clone(), was, is }
        };
        self.classes.iter().map(changed).collect()
    }

    /// The classes for which something holds; one for which it holds in part becomes two.
    fn holding(&mut self, holds: impl Fn(usize) -> bool) -> impl Iterator<Item = &mut Class<'a>> {
        let mut others = Vec::new();
        for class in &mut self.classes {
            let (holding, not): (Vec<usize>, Vec<usize>) = class.gpus.iter().partition(|gpu| holds(**gpu));
            if !holding.is_empty() && !not.is_empty() {
                others.push(Class { gpus: not, ..class.clone() });
                class.gpus = holding;
            }
        }
        self.classes.extend(others);
        self.classes.iter_mut().filter(move |class| class.gpus.first().is_some_and(|gpu| holds(*gpu)))
    }
}

impl Class<'_> {
    /// Makes further edits.
    fn add(&mut self, edits: &[Edit]) {
        let stands_on = self.changes_merged(edits).then(|| self.near(touched_by(edits)));
        for edit in edits {
            let (number, touched) = (self.steps.len(), edit.touches());
            touched.passes.iter().for_each(|pass| self.by_pass.entry(*pass).or_default().push(number));
            touched.transfers.iter().for_each(|transfer| self.by_transfer.entry(*transfer).or_default().push(number));
            if edit.merges() {
                self.merging.extend(&touched.passes);
            }
            self.steps.push((*edit, touched));
        }
        match stands_on {
            None => make(&mut self.draft, edits),
            Some((touched, numbers)) => {
                self.draft.forget(&touched);
                let before = numbers.iter().filter_map(|number| self.steps.get(*number)).map(|(edit, _)| *edit);
                let again: Vec<Edit> = before.chain(edits.iter().copied()).collect();
                make(&mut self.draft, &again);
            }
        }
    }

    /// Whether a merge that is made already has to be made again.
    fn changes_merged(&self, edits: &[Edit]) -> bool {
        let before = |edit: &&Edit| !edit.merges();
        edits.iter().filter(before).any(|edit| edit.touches().passes.iter().any(|pass| self.merging.contains(pass)))
    }

    /// What edits may change.
    fn concerned(&self, edits: &[Edit]) -> Touched {
        let touched = touched_by(edits);
        if self.changes_merged(edits) { self.near(touched).0 } else { touched }
    }

    /// The edits that change what is touched, those that change what these touch, and so on; with all that they touch.
    fn near(&self, mut touched: Touched) -> (Touched, BTreeSet<usize>) {
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut look = touched.clone();
        while look != Touched::default() {
            let passes = look.passes.iter().filter_map(|pass| self.by_pass.get(pass));
            let transfers = look.transfers.iter().filter_map(|transfer| self.by_transfer.get(transfer));
            let new: Vec<usize> =
                passes.chain(transfers).flatten().copied().filter(|number| !found.contains(number)).collect();
            look = Touched::default();
            for number in new {
                let Some((_, more)) = self.steps.get(number).filter(|_| found.insert(number)) else { continue };
                look.passes.extend(more.passes.difference(&touched.passes));
                look.transfers.extend(more.transfers.difference(&touched.transfers));
            }
            touched.extend(&look);
        }
        (touched, found)
    }
}

/// All that edits touch.
fn touched_by(edits: &[Edit]) -> Touched {
    let mut touched = Touched::default();
    edits.iter().for_each(|edit| touched.extend(&edit.touches()));
    touched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{
        Aspects, Attachment, AttachmentUse, ClearAttachment, Image, ImageRef, ImageRegion, LoadOp, Op, Pass, Region,
        Side, StoreOp, Submission, Subpass, SubresourceRange, Transfer, TransferKind,
    };
    use crate::units::{Extent2D, Rect2D};
    use alloc::format;
    use alloc::vec;
    use proptest::prelude::*;

    const PASSES: u32 = 8;

    /// Eight passes over one image and one of their own, each with a resolve command after it.
    fn frame() -> FrameStructure {
        let range = SubresourceRange { aspects: Aspects::COLOR, mips: 1, layers: 1, ..SubresourceRange::default() };
        let extent = Extent2D::new(64, 64);
        let attachment = |image: u32, load| Attachment {
            image: Some(ImageRef(image)),
            range,
            samples: 4,
            load,
            store: StoreOp::Store,
            ..Attachment::default()
        };
        let side = |image| {
            let (image, aspects) = (Some(ImageRef(image)), Aspects::COLOR);
            Some(Side::Image(ImageRegion { image, aspects, layers: 1, ..ImageRegion::default() }))
        };
        let used = |attachment| Some(AttachmentUse { attachment, ..AttachmentUse::default() });
        let ops = (0..PASSES).flat_map(|number| {
            let cleared = ClearAttachment {
                aspects: Aspects::COLOR,
                slot: 0,
                rects: vec![(Rect2D { extent, ..Rect2D::default() }, 0, 1)],
                after_draw: false,
                conditional: false,
            };
            let pass = Pass {
                labels: vec![format!("pass {number}")],
                extent,
                render_area: Rect2D { extent: Extent2D::new(8 * (number + 1), 64), ..Rect2D::default() },
                layers: 1,
                attachments: vec![attachment(0, LoadOp::Load), attachment(1 + number % 2, LoadOp::Clear)],
                subpasses: vec![Subpass {
                    color: vec![used(0), used(1)],
                    clears: if number % 3 == 2 { vec![cleared] } else { Vec::new() },
                    drawn: true,
                    ..Subpass::default()
                }],
                ..Pass::default()
            };
            let regions = vec![Region { src: side(0), dst: side(3) }];
            [Op::Pass(pass), Op::Transfer(Transfer { labels: Vec::new(), kind: TransferKind::Resolve, regions })]
        });
        FrameStructure {
            images: vec![Image { samples: 4, mips: 1, layers: 1, ..Image::default() }; 4],
            submissions: vec![Submission { ops: ops.collect(), ..Submission::default() }],
            ..FrameStructure::default()
        }
    }

    fn any_edit() -> impl Strategy<Value = Edit> {
        let (pass, attachment, aspect) = (0..PASSES, 0..2u32, Aspects::COLOR);
        let place = (pass.clone(), attachment);
        let ops = prop_oneof![Just(LoadOp::Load), Just(LoadOp::DontCare), Just(LoadOp::Clear)];
        let stores = prop_oneof![Just(StoreOp::Store), Just(StoreOp::DontCare), Just(StoreOp::None)];
        let area = (1..64u32).prop_map(|x| Rect2D { extent: Extent2D::new(x, 64), ..Rect2D::default() });
        prop_oneof![
            6 => (pass.clone(), pass.clone()).prop_map(|(first, second)| Edit::MergePasses { first, second }),
            6 => (0..PASSES - 1).prop_map(|first| Edit::MergePasses { first, second: first + 1 }),
            2 => (place.clone(), ops)
                .prop_map(move |((pass, attachment), op)| Edit::SetLoad { pass, attachment, aspect, op }),
            2 => (place.clone(), stores)
                .prop_map(move |((pass, attachment), op)| Edit::SetStore { pass, attachment, aspect, op }),
            1 => place.prop_map(move |(pass, attachment)| Edit::ClearAtLoad { pass, attachment, aspect }),
            1 => (pass.clone(), area).prop_map(|(pass, area)| Edit::SetArea { pass, area }),
            1 => (pass.clone(), 1..4u32).prop_map(|(pass, samples)| Edit::LimitSamples { pass, samples }),
            1 => pass.clone()
                .prop_map(|pass| Edit::ResolveInPass { pass, subpass: 0, slot: 0, transfer: pass }),
            1 => pass.prop_map(|transfer| Edit::DropTransfer { transfer }),
        ]
    }

    fn everything() -> Touched {
        Touched { passes: (0..PASSES).collect(), transfers: (0..PASSES).collect() }
    }

    /// The whole frame with these edits.
    fn at_once(whole: &Numbered<'_>, edits: &[Edit]) -> FrameStructure {
        let mut draft = Draft::of(whole);
        make(&mut draft, edits);
        Numbering::default().part(&draft, &everything())
    }

    proptest! {
        #[test]
        fn edits_one_after_the_other_make_the_frame_that_all_of_them_make_at_once(
            advice in proptest::collection::vec((proptest::collection::vec(any_edit(), 1..4), any::<bool>()), 1..10)
        ) {
            let frame = frame();
            let whole = Numbered::new(&frame);
            let mut made = Made::new(&whole, 2);
            // The second GPU follows some of the advice only.
            let mut all = [Vec::new(), Vec::new()];
            for (edits, everywhere) in &advice {
                let before = all.clone();
                all[0].extend(edits);
                if *everywhere {
                    all[1].extend(edits);
                }
                for change in made.change(edits, |gpu| gpu == 0 || *everywhere) {
                    for gpu in &change.gpus {
                        prop_assert!(*gpu == 0 || *everywhere);
                        // What is not in the change stays as it was: the passes that differ are those of the change.
                        let [was, is] = [&before[*gpu], &all[*gpu]].map(|edits| at_once(&whole, edits));
                        let less = |a: &FrameStructure, b: &FrameStructure| a.ops().count() as i64 - b.ops().count() as i64;
                        prop_assert_eq!(less(&was, &is), less(&change.was, &change.is));
                        prop_assert_eq!(was == is, change.was == change.is, "{:?} after {:?}", edits, before);
                    }
                }
                for class in &made.classes {
                    let is = Numbering::default().part(&class.draft, &everything());
                    for gpu in &class.gpus {
                        prop_assert_eq!(&is, &at_once(&whole, &all[*gpu]), "{:?}", all[*gpu]);
                    }
                }
            }
        }
    }
}
