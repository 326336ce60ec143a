//! Deferred rendering with ambient occlusion, which reads the depth of neighbouring pixels, and a user interface.
//!
//! One submission is one frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

mod expect;
mod frame;
mod right;
mod wrong;

use clap::Parser;
use std::process::ExitCode;
use tilelens_samples::pair::Pair;
use tilelens_samples::{Error, program, room};

/// Draws a room with a G-buffer, ambient occlusion, lights and a user interface; checks every pixel.
///
/// wrong: the G-buffer is stored; its depth is copied so that the occlusion can read it; a clear command fills the output, and the lighting loads that
/// and the G-buffer and stores all of it again; the user interface has a pass of its own.
///
/// right: the depth is drawn and stored first, for the occlusion. Then one pass draws the G-buffer once more, lights it and draws the user interface:
/// only the output leaves it.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

fn main() -> ExitCode {
    program::exit("deferred_ssao", run(&Options::parse().pair))
}

fn run(pair: &Pair) -> Result<(), Error> {
    let gpu = pair.open("deferred_ssao")?;
    let faces = room::faces(pair.size);
    let targets = frame::Targets::new(&gpu, pair)?;
    if pair.wrong() {
        let passes = wrong::Passes::new(&gpu, pair.size, &targets, &faces)?;
        pair.run(&gpu, &mut frame::Deferred::new(pair.size, &targets, &faces, &passes))
    } else {
        let passes = right::Passes::new(&gpu, pair.size, &targets, &faces)?;
        pair.run(&gpu, &mut frame::Deferred::new(pair.size, &targets, &faces, &passes))
    }
}
