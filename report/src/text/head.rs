//! What this is: program, device, frames.

use super::write::{FAINT, Out, TITLE, WARNING, counted, frame_numbers};
use std::fmt;
use tbdr_model::record::GapReason;
use tbdr_model::report::{Frame, Report};
use tbdr_model::text::shown;

pub(super) fn render(out: &mut Out, report: &Report, frame: Option<&Frame>) -> fmt::Result {
    let run = &report.run;
    let program = match run.program.as_str() {
        "" => "unknown program".into(),
        name => shown(name, 40),
    };
    let device = match run.device.name.as_str() {
        "" => "an unknown device".into(),
        name => shown(name, 50),
    };
    let gpus = counted(report.gpus.len() as u64, "GPU");
    out.line(TITLE, &format!("{program}, run on {device}: modelled for {gpus}, not measured"))?;
    if !report.complete {
        out.line(WARNING, "The run was cut short: the figures are of the frames up to then.")?;
    }
    let Some(frame) = frame else {
        return none(out, report);
    };
    let mut line = counted(report.frame_count, "frame") + " recorded";
    match report.frames.len() as u64 {
        1 if report.frame_count > 1 => line += ", all alike",
        1 => {}
        distinct => {
            let alone = report.frames.iter().filter(|other| other.count == frame.count).count() == 1;
            line += &format!(
                ", {distinct} of them distinct. Shown is the {}: {} ({})",
                if alone { "most frequent" } else { "heaviest of the most frequent" },
                frame_numbers(&frame.indices),
                counted(frame.count, "frame")
            );
        }
    }
    out.line(FAINT, &format!("{line}."))?;
    match frame.boundary.as_str() {
        "end" if report.frame_count == 1 => out.wrapped(
            FAINT,
            "The program never presented: all its work is one frame. `tilelens run --frame-submits N`, or without the command \
             VK_TILELENS_TBDR_FRAME_SUBMITS=N, ends a frame every N submissions.",
            0,
        ),
        "limit" => out.wrapped(
            WARNING,
            "The frame was ended early because it held too many operations (setting `max_frame_ops`).",
            0,
        ),
        _ => Ok(()),
    }
}

/// Why there is no frame, as far as the record tells.
fn none(out: &mut Out, report: &Report) -> fmt::Result {
    let left_out = report.gaps.iter().filter(|gap| gap.reason == GapReason::Selection);
    let left_out = left_out.fold(0u64, |sum, gap| sum.saturating_add(gap.count));
    if left_out == 0 {
        return out.line(WARNING, "No frame was recorded.");
    }
    let setting = |key: &str| report.run.settings.get(key).filter(|value| !value.is_empty());
    let mut asked: Vec<String> = Vec::new();
    asked.extend(setting("frames").map(|frames| format!("`frames` is `{}`", shown(frames, 60))));
    asked.extend(setting("frames_label").map(|label| {
        format!("`frames_label` is `{}`: does that debug label occur, and is it spelt so?", shown(label, 60))
    }));
    if asked.is_empty() {
        // It depends on where the program runs, so that the record does not name it: it is what is left.
        asked.push("`frames_file` was not there, or said `off`, whenever a frame ended".into());
    }
    let frames = counted(left_out, "frame");
    let text = format!(
        "No frame was recorded: the program made {frames}, and the settings that choose frames took none. {}",
        asked.join("; ")
    );
    out.wrapped(WARNING, &text, 0)
}
