//! The schedule of a frame as the report shows it.

use crate::frame::FrameStructure;
use crate::report::{Schedule, ScheduledWait, ScheduledWork};
use crate::schedule::{self, Cause, Part, Slot};

/// What overlaps in a frame; `None` where there is at most one piece of work.
pub fn shown(frame: &FrameStructure) -> Option<Schedule> {
    let replay = schedule::of(frame);
    let work = replay.pieces.iter().map(|piece| {
        let (pass, transfer) = match piece.part {
            Part::Pass(pass) => (Some(pass), None),
            Part::Transfer(transfer) => (None, Some(transfer)),
            Part::Other(_) => (None, None),
        };
        let slot = match piece.slot {
            Slot::Vertex => "vertex",
            Slot::Fragment => "fragment",
        };
        ScheduledWork { queue: piece.queue, slot: slot.into(), pass, transfer, from: piece.from, to: piece.to }
    });
    let waits = replay.waits.iter().map(|wait| {
        let cause = match wait.cause {
            Cause::Barrier(_) => "barrier",
            Cause::Event(_) => "event",
            Cause::Dependency(_) => "dependency",
            Cause::Queue => "queue",
        };
        ScheduledWait { work: wait.piece as u64, cause: cause.into(), steps: wait.steps }
    });
    let several = replay.pieces.iter().any(|piece| replay.pieces.first().is_some_and(|first| first.part != piece.part));
    several.then(|| Schedule {
        steps: replay.length,
        steps_unordered: replay.free,
        work: work.collect(),
        waits: waits.collect(),
    })
}
