//! What overlaps and what cannot: the work of the frame in the two slots of each queue, as a picture, where something has to wait or where the
//! slots work side by side.

use super::write::{FAINT, Out, TITLE};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use tbdr_model::report::{Frame, Schedule, ScheduledWork};
use tbdr_model::text::shown;

/// Columns of a name.
const NAME: usize = 24;

pub(super) fn render(out: &mut Out, frame: &Frame) -> fmt::Result {
    let to_be_seen = |schedule: &&Schedule| schedule.lost() > 0 || schedule.overlaps();
    let Some(schedule) = frame.schedule.as_ref().filter(to_be_seen) else { return Ok(()) };
    writeln!(out)?;
    out.styled(TITLE, "Overlap")?;
    let longer = if schedule.waits.is_empty() && schedule.lost() == 0 {
        "; nothing has to wait".into()
    } else {
        format!(", {} if nothing had to wait", schedule.steps_unordered)
    };
    let text = format!("  {} steps{longer}: vertices and compute (V) beside fragments (F)", schedule.steps);
    out.line(FAINT, &text)?;
    let room = out.width.saturating_sub(12);
    let queues: BTreeSet<u32> = schedule.work.iter().map(|work| work.queue).collect();
    for queue in &queues {
        for (slot, letter) in [("vertex", 'V'), ("fragment", 'F')] {
            let name = if queues.len() > 1 { format!("queue {queue} {letter}") } else { letter.to_string() };
            writeln!(out, "  {name:9} {}", row(schedule, *queue, slot, room))?;
        }
    }
    legend(out, frame, schedule, room)?;
    let mut causes: BTreeMap<&str, u64> = BTreeMap::new();
    for wait in &schedule.waits {
        *causes.entry(&wait.cause).or_default() += wait.steps;
    }
    let causes: Vec<String> = causes.iter().map(|(cause, steps)| format!("{cause} {steps}")).collect();
    let empty = if causes.is_empty() {
        String::new()
    } else {
        format!("Steps that a slot stands empty, by what work waits for: {}. ", causes.join(", "))
    };
    let text = format!(
        "{empty}Every piece of work takes one step: this shows what can overlap and what cannot, not how long it takes."
    );
    out.wrapped(FAINT, &text, 0)
}

/// The letter of a piece of work: the same for both parts of a pass.
fn letter(work: &ScheduledWork) -> char {
    const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
    match (work.pass, work.transfer) {
        (Some(pass), _) => char::from(LETTERS[pass as usize % LETTERS.len()]),
        (None, Some(_)) => '=',
        (None, None) => '*',
    }
}

/// One slot, a column for each step.
fn row(schedule: &Schedule, queue: u32, slot: &str, room: usize) -> String {
    let columns = usize::try_from(schedule.steps).unwrap_or(room).min(room);
    let mut row = vec!['.'; columns];
    for work in schedule.work.iter().filter(|work| work.queue == queue && work.slot == slot) {
        for step in work.from..work.to.min(columns as u64) {
            if let Some(column) = usize::try_from(step).ok().and_then(|step| row.get_mut(step)) {
                *column = letter(work);
            }
        }
    }
    let more = if schedule.steps > room as u64 { "…" } else { "" };
    row.into_iter().collect::<String>() + more
}

/// Which letter stands for which pass, as far as they are in the picture.
fn legend(out: &mut Out, frame: &Frame, schedule: &Schedule, room: usize) -> fmt::Result {
    let in_sight = schedule.work.iter().filter(|work| work.from < room as u64);
    let named: BTreeSet<u32> = in_sight.clone().filter_map(|work| work.pass).take(26).collect();
    let mut words: Vec<String> = Vec::new();
    for pass in named {
        let work = ScheduledWork { pass: Some(pass), ..ScheduledWork::default() };
        let name = Schedule::name(&work, &frame.passes, &frame.transfers);
        words.push(format!("{} {}", letter(&work), shown(name, NAME)));
    }
    if in_sight.clone().any(|work| work.transfer.is_some()) {
        words.push("= transfers".into());
    }
    if in_sight.clone().any(|work| work.pass.is_none() && work.transfer.is_none()) {
        words.push("* dispatches".into());
    }
    out.wrapped(FAINT, &words.join(", "), 2)
}
