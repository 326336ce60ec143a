//! Outcomes as the report tells them, with the names and the number of a pass.

use super::attachments::{Entry as Debited, Ledger};
use super::outcome::{Outcome, Run};
use super::{PassView, driver, texels};
use crate::gpu::{Mode, Plan};
use crate::ledger::sum;
use crate::report::{Alternative, Direction, Entry, TilePass, TileSubpass};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Where a pass stands in its frame.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The pass.
    pub view: &'a PassView<'a>,
    /// Its index.
    pub number: u32,
    /// Names of its attachments' images; empty for images without names.
    pub names: &'a [String],
}

impl Told<'_> {
    /// The tile passes of an outcome, in order of execution.
    pub fn tile_passes(&self, outcome: &Outcome) -> Vec<TilePass> {
        let mut passes = self.run(&outcome.run);
        let other = outcome.run.grouping.alternative.as_ref().zip(outcome.alternative.as_ref());
        if let (Some((other, run)), Some(first)) = (other, passes.first_mut()) {
            let Ledger { read_bytes, write_bytes, .. } = *run.ledger;
            let (note, passes) = (other.note.to_string(), self.run(run));
            first.alternative = Some(Alternative { note, read_bytes, write_bytes, passes });
        }
        passes
    }

    /// The tile passes of one way to run the pass.
    fn run(&self, run: &Run) -> Vec<TilePass> {
        let mut rest = &run.ledger.entries[..];
        let plans = run.plans.iter().zip(&run.grouping.groups).enumerate();
        let told = plans.map(|(index, (plan, group))| {
            let own = rest.iter().take_while(|entry| entry.tile_pass == index).count();
            let (entries, later) = rest.split_at(own);
            rest = later;
            self.tile_pass(run, plan, group, entries)
        });
        told.collect()
    }

    /// A tile pass of the subpasses `group`.
    fn tile_pass(&self, run: &Run, plan: &Plan, group: &[usize], entries: &[Debited]) -> TilePass {
        let (view, grouping) = (self.view, &run.grouping);
        let mut notes: Vec<String> = plan.notes.iter().map(ToString::to_string).collect();
        let on_chip = group.iter().filter_map(|s| view.pass.subpasses.get(*s)).map(|s| s.samples).max().unwrap_or(0);
        if on_chip > 1 && plan.mode == Mode::Tiled {
            notes.push(format!("{on_chip} samples per pixel exist on chip only"));
        }
        if plan.mode == Mode::Tiled && plan.tile.is_some() && view.is_rounded(plan.granularity) {
            let (w, h) = (plan.granularity.width, plan.granularity.height);
            notes.push(format!("the render area is counted rounded out to {w}x{h}"));
        }
        let subpass = |subpass: &usize| {
            let verdict = grouping.verdicts.get(*subpass);
            TileSubpass {
                pass: self.number,
                subpass: *subpass as u32,
                merge_status: verdict.map(|v| v.status.spelled().into()),
                merge_note: verdict.map(|v| v.note.clone()).unwrap_or_default(),
                driver_differs: verdict.and_then(|v| driver::differs(view.pass, *subpass, v.status)),
            }
        };
        TilePass {
            source_passes: alloc::vec![self.number],
            read_bytes: sum(entries, Direction::Read),
            write_bytes: sum(entries, Direction::Write),
            tile: plan.tile,
            tiles: plan.tiles,
            bits_per_pixel: plan.bits_per_pixel,
            budget_bits_per_pixel: plan.budget_bits_per_pixel,
            mode: plan.mode.name().into(),
            notes,
            merge_basis: (view.pass.subpasses.len() > 1).then(|| grouping.basis.name().into()),
            subpasses: group.iter().map(subpass).collect(),
            entries: entries.iter().map(|entry| self.entry(entry)).collect(),
            compressed: None,
            alternative: None,
        }
    }

    fn entry(&self, entry: &Debited) -> Entry {
        let Debited { attachment, aspect, cause, direction, bytes, basis, .. } = *entry;
        let image = self.names.get(attachment as usize).cloned().unwrap_or_default();
        let (aspect, cause) = (Cow::Borrowed(texels::word(aspect)), Cow::Borrowed(cause));
        Entry { attachment, image, aspect, cause, direction, bytes, basis, compressed: None }
    }
}
