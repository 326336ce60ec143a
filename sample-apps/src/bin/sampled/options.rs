//! The command line, and which frame reads which map.

use clap::{Parser, ValueEnum};
use tilelens_samples::features::Feature;
use tilelens_samples::gpu::Wanted;
use tilelens_samples::size::Size;

/// Draws a depth map in one pass and reads it in another, through one kind of descriptor; checks every pixel.
#[derive(Clone, Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Options {
    /// How the shader gets at the map.
    #[arg(long, value_enum, default_value_t = Bind::Set, value_name = "HOW")]
    pub bind: Bind,
    /// Bind the map to a shader that does not use it: nobody reads what is stored.
    #[arg(long, conflicts_with_all = ["history", "every"])]
    pub unused: bool,
    /// Do not store the map, which nobody reads.
    #[arg(long, requires = "unused")]
    pub discard: bool,
    /// Read the map of the frame before; the first frame reads none.
    #[arg(long)]
    pub history: bool,
    /// Read a map in every N-th frame only, beginning with the first; in the others it is bound and not used.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// Draw the maps that are read, and no others.
    #[arg(long, requires = "every")]
    pub on_demand: bool,
    /// Size of the map and of the output in pixels.
    #[arg(long, default_value = "320x180", value_name = "WIDTHxHEIGHT")]
    pub size: Size,
    /// Number of frames; each is one submission.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: u32,
    /// Device to run on, counted from 0; the first software device unless given.
    #[arg(long, value_name = "INDEX")]
    pub device: Option<usize>,
}

/// What names the map to the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Bind {
    /// A descriptor set.
    Set,
    /// A push descriptor (VK_KHR_push_descriptor).
    Push,
    /// A descriptor in a buffer (VK_EXT_descriptor_buffer).
    Buffer,
    /// An element of an array of descriptors that is chosen at run time, and written after the set was bound
    /// (VK_EXT_descriptor_indexing).
    Bindless,
}

impl Options {
    /// What the device must have.
    pub fn wanted(&self) -> Wanted {
        let feature = match self.bind {
            Bind::Set => None,
            Bind::Push => Some(Feature::PushDescriptors),
            Bind::Buffer => Some(Feature::DescriptorBuffers),
            Bind::Bindless => Some(Feature::Bindless),
        };
        Wanted {
            index: self.device,
            vulkan_1_2: matches!(self.bind, Bind::Buffer | Bind::Bindless),
            features: feature.into_iter().collect(),
            ..Wanted::default()
        }
    }

    /// The frame whose map frame `frame` reads, if it reads any.
    pub fn read_in(&self, frame: u32) -> Option<u32> {
        let map = if self.history { frame.checked_sub(1)? } else { frame };
        (!self.unused && frame % self.every == 0).then_some(map)
    }

    /// Whether frame `frame` draws a map.
    pub fn draws_in(&self, frame: u32) -> bool {
        let reader = if self.history { frame + 1 } else { frame };
        !self.on_demand || self.read_in(reader).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(arguments: &[&str]) -> Options {
        Options::parse_from(["sampled"].iter().chain(arguments))
    }

    #[test]
    fn on_demand_draws_the_maps_that_are_read_and_no_others() {
        for arguments in [&["--every", "3"][..], &["--every", "3", "--history"], &["--every", "1", "--history"]] {
            let options = options(&[arguments, &["--on-demand"]].concat());
            let read: Vec<_> = (0..=12).filter_map(|f| options.read_in(f)).filter(|f| *f < 12).collect();
            let drawn: Vec<_> = (0..12).filter(|f| options.draws_in(*f)).collect();
            assert_eq!(read, drawn, "{arguments:?}");
        }
    }
}
