//! Deferred rendering in two passes, with barriers that name the layout in which the G-buffer really is before it is drawn again, or that name none.
//!
//! The configuration of the sample `layout_transitions` of the Khronos Vulkan-Samples with its toggle, without a window. One submission is one
//! frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

use clap::Parser;
use std::process::ExitCode;
use tilelens_samples::pair::Pair;
use tilelens_samples::room;
use tilelens_samples::two_passes::{Barriers, TwoPasses};

/// Draws a room with a G-buffer in one pass and lights it in another; checks every pixel.
///
/// wrong: the barriers before the G-buffer is drawn name the old layout UNDEFINED. What a GPU knows of the tiles in memory is lost with the contents,
/// and it writes the tiles that did not change once more.
///
/// right: they name the layout in which the lighting of the frame before has read the G-buffer.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
}

fn main() -> ExitCode {
    let Options { pair } = Options::parse();
    pair.main("layout_transitions", |gpu| {
        let faces = room::faces(pair.size);
        let barriers = Barriers { discards: pair.wrong(), ..Barriers::RIGHT };
        pair.run(gpu, &mut TwoPasses::new(gpu, &pair, barriers, &faces)?)
    })
}
