//! TL507.

use super::between::{Beside, Between};
use super::{Candidate, Evidence, Gather, Sighting, Structure, Worth, rule};
use crate::frame::{Barrier, EventAction, EventRef, Op};
use crate::report::{Basis, Quantity};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// A wait for events all of which were set right before it, with no work between.
    ///
    /// ## Why it costs on a tile-based GPU
    /// An event splits a barrier in two, so that work between its halves waits for nothing. With nothing between them it is a barrier that
    /// writes and polls memory besides.
    ///
    /// ## Bad
    /// `vkCmdSetEvent2` followed by `vkCmdWaitEvents2` for the same event.
    ///
    /// ## Good
    /// `vkCmdPipelineBarrier2` with the same dependency; or the wait moved behind the work that does not need it.
    ///
    /// ## How much
    /// The number of waits.
    ///
    /// ## When to ignore
    /// If what stands between them is recorded in some frames only. A note never fails a check.
    ///
    /// ## Known limits
    /// Waits for events that the host sets, or that were set in another submission, are left alone, and so are events that are waited for
    /// more than once. Silent where any frame waits for an event that it has not set itself: it might be one of these. Whether the
    /// host asks for the state of an event is not seen.
    ///
    /// ## References
    /// Vulkan specification, "Events".
    EVENT_WAITED_AT_ONCE {
        code: "TL507",
        name: "event-waited-at-once",
        category: Scheduling,
        level: Note,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["wait", "waits"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let mut gather = Gather::new(evidence);
    let alone: Option<Vec<BTreeSet<u32>>> = evidence.structures.values().map(waited_again).collect();
    for ((number, structure), again) in evidence.structures.iter().zip(alone.into_iter().flatten()) {
        let between = Between::of(structure.frame);
        let mut by_pass: BTreeMap<Beside, u64> = BTreeMap::new();
        for beside in waits(structure).into_iter().filter(|op| !again.contains(op)).filter_map(|op| between.beside(op))
        {
            *by_pass.entry(beside).or_default() += 1;
        }
        for (beside, value) in by_pass {
            let place = beside.words(structure);
            gather.add(Sighting { structure: *number, pass: beside.pass, ..Sighting::default() }, || Candidate {
                worth: Worth::Amount { quantity: Quantity::Count, value, basis: Basis::Exact },
                fix: format!(
                    "Use vkCmdPipelineBarrier2 with the same dependency instead of setting an event and waiting for it at once {place}, or \
                     move the wait behind work that does not need it"
                ),
                why: "nothing runs between the event and the wait for it".to_string(),
                ..Candidate::default()
            });
        }
    }
    gather.everywhere()
}

/// Operations that wait for events for which others wait, too: without the event these would wait for ever. `None` if one waits for an
/// event that was not set in the frame.
fn waited_again(structure: &Structure<'_>) -> Option<BTreeSet<u32>> {
    let mut again = BTreeSet::new();
    // The first wait for each event since it was set.
    let mut first: BTreeMap<EventRef, Option<u32>> = BTreeMap::new();
    for (op, command) in (0u32..).zip(structure.frame.ops()) {
        match command {
            Op::Event(event) if event.action == EventAction::Set => {
                first.insert(event.event, None);
            }
            Op::Barrier(Barrier { event: true, events, .. }) => {
                for event in events {
                    let known = first.get_mut(event)?;
                    again.extend(known.map(|other| [other, op]).into_iter().flatten());
                    known.get_or_insert(op);
                }
            }
            _ => {}
        }
    }
    Some(again)
}

/// Operations that wait for events which were set right before.
fn waits(structure: &Structure<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    let mut op = 0u32;
    for submission in &structure.frame.submissions {
        // Events that were set since the last work.
        let mut set: BTreeSet<EventRef> = BTreeSet::new();
        for command in &submission.ops {
            match command {
                Op::Event(event) if event.action == EventAction::Set => {
                    set.insert(event.event);
                }
                Op::Event(event) => {
                    set.remove(&event.event);
                }
                Op::Barrier(Barrier { event: true, events, .. }) => {
                    if !events.is_empty() && events.iter().all(|event| set.contains(event)) {
                        found.push(op);
                    }
                }
                // Between the two halves it may hold back other work than they do.
                Op::Barrier(_) | Op::Pass(_) | Op::Transfer(_) | Op::Dispatch(_) | Op::Opaque(_) => set.clear(),
            }
            op += 1;
        }
    }
    found
}
