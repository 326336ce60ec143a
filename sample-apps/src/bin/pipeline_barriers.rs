//! Deferred rendering in two passes, with barriers that let the vertices of the lighting run while the G-buffer is still shaded, or that drain the
//! GPU between the two.
//!
//! The configuration of the sample `pipeline_barriers` of the Khronos Vulkan-Samples with its choices, without a window. One submission is one
//! frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

use ash::vk;
use clap::{Parser, ValueEnum};
use std::process::ExitCode;
use tilelens_samples::Error;
use tilelens_samples::pair::Pair;
use tilelens_samples::room;
use tilelens_samples::two_passes::{Barriers, TwoPasses};
use vk::PipelineStageFlags as Stage;

/// Draws a room with a G-buffer in one pass and lights it in another; checks every pixel.
///
/// wrong: the barriers of the G-buffer wait for more than what touches it, or hold back more. The vertices of the lighting wait until the last
/// fragment of the G-buffer has been shaded.
///
/// right: their source is what writes the G-buffer, at the colour output and the depth test, and their destination what reads it, no earlier than the
/// first stage of fragments. Vertices wait for nothing.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    pair: Pair,
    /// What the barriers of the wrong variant wait for and hold back, beside what touches the G-buffer [default: bottom-to-top].
    #[arg(long, value_enum, value_name = "STAGES")]
    wide: Option<Wide>,
}

/// How barriers are wider than they have to be. The stages that touch the G-buffer stay in, because the access masks need them: BOTTOM_OF_PIPE and
/// TOP_OF_PIPE alone would make nothing visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Wide {
    /// BOTTOM_OF_PIPE to TOP_OF_PIPE: everything after waits for everything before.
    BottomToTop,
    /// ALL_COMMANDS to ALL_COMMANDS: the same.
    AllCommands,
    /// What writes the G-buffer to VERTEX_SHADER: the source is right, and the destination too early.
    OutputToVertex,
}

impl Wide {
    /// Stages with which a barrier between these becomes as wide.
    fn around(self, [from, to]: [Stage; 2]) -> [Stage; 2] {
        match self {
            Self::BottomToTop => [from | Stage::BOTTOM_OF_PIPE, to | Stage::TOP_OF_PIPE],
            Self::AllCommands => [Stage::ALL_COMMANDS; 2],
            Self::OutputToVertex => [from, to | Stage::VERTEX_SHADER],
        }
    }
}

fn main() -> ExitCode {
    let Options { pair, wide } = Options::parse();
    pair.main("pipeline_barriers", |gpu| {
        let barriers = barriers(&pair, wide)?;
        let faces = room::faces(pair.size);
        pair.run(gpu, &mut TwoPasses::new(gpu, &pair, barriers, &faces)?)
    })
}

fn barriers(pair: &Pair, wide: Option<Wide>) -> Result<Barriers, Error> {
    if !pair.wrong() {
        let refused = "--wide says how the wrong variant is wrong: give --variant wrong with it";
        return wide.map_or(Ok(Barriers::RIGHT), |_| Err(Error::Options(refused.into())));
    }
    let wide = wide.unwrap_or(Wide::BottomToTop);
    let (drawing, lighting) = (wide.around(Barriers::DRAWING), wide.around(Barriers::LIGHTING));
    Ok(Barriers { drawing, lighting, ..Barriers::RIGHT })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_barrier_is_narrower_than_what_touches_the_g_buffer() {
        for wide in Wide::value_variants() {
            for [from, to] in [Barriers::DRAWING, Barriers::LIGHTING] {
                let [wide_from, wide_to] = wide.around([from, to]);
                let holds = |wide: Stage, narrow| wide == Stage::ALL_COMMANDS || wide.contains(narrow);
                assert!(holds(wide_from, from) && holds(wide_to, to), "{wide:?}");
                assert_ne!([wide_from, wide_to], [from, to], "{wide:?}");
            }
        }
    }
}
