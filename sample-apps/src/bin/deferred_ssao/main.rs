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
use tilelens_samples::room;

/// Draws a room with a G-buffer, ambient occlusion, lights and a user interface; checks every pixel.
///
/// wrong: the G-buffer is stored; its depth is copied so that the occlusion can read it; a clear command fills the output, and the lighting loads that
/// and reads the G-buffer from memory (its storeOp keeps what is there: nothing is written); the user interface has a pass of its own.
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
    let Options { pair } = Options::parse();
    pair.main("deferred_ssao", |gpu| {
        let faces = room::faces(pair.size);
        let targets = frame::Targets::new(gpu, &pair)?;
        let passes: Box<dyn frame::Record + '_> = if pair.wrong() {
            Box::new(wrong::Passes::new(gpu, pair.size, &targets, &faces)?)
        } else {
            Box::new(right::Passes::new(gpu, pair.size, &targets, &faces)?)
        };
        pair.run(gpu, &mut frame::Deferred::new(pair.size, &targets, &faces, &*passes))
    })
}
