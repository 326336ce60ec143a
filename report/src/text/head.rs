//! What this is: program, device, frames.

use super::write::{FAINT, Out, TITLE, WARNING, counted, frame_numbers};
use std::fmt;
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
        return out.line(WARNING, "No frame was recorded.");
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
