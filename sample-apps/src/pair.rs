//! Samples that exist in a wrong and a right variant with the same picture: their command line, and the loop over their frames.

use crate::buffer::Buffer;
use crate::commands::Commands;
use crate::gpu::{Gpu, Wanted};
use crate::image::Image;
use crate::new_images;
use crate::picture::Picture;
use crate::size::Size;
use crate::{Error, program, readback};
use ash::vk;
use clap::{Args, ValueEnum};
use std::process::ExitCode;

/// Format of colours.
pub const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// What every such sample can be told.
#[derive(Clone, Debug, Args)]
pub struct Pair {
    /// How it is done.
    #[arg(long, value_enum, default_value_t = Variant::Right)]
    pub variant: Variant,
    /// Size of the output in pixels.
    #[arg(long, default_value = "320x180", value_name = "WIDTHxHEIGHT")]
    pub size: Size,
    /// Number of frames; each is one submission.
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: u32,
    /// Device to run on, counted from 0; the first software device unless given.
    #[arg(long, value_name = "INDEX")]
    pub device: Option<usize>,
    /// Print what a messenger of VK_EXT_debug_utils hears.
    #[arg(long)]
    pub messages: bool,
}

/// Wrong or right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// As programs are found that nobody has looked at on a tile-based GPU.
    Wrong,
    /// What a frame needs moves between chip and memory, and nothing else.
    Right,
}

impl Pair {
    /// Whether it is done wrong.
    pub fn wrong(&self) -> bool {
        self.variant == Variant::Wrong
    }

    /// The one or the other.
    pub fn choose<T>(&self, wrong: T, right: T) -> T {
        if self.wrong() { wrong } else { right }
    }

    /// All of the program `program`: opens the device, and lets `draw` use it.
    pub fn main(&self, program: &str, draw: impl FnOnce(&Gpu) -> Result<(), Error>) -> ExitCode {
        let wanted = Wanted { index: self.device, vulkan_1_2: true, messages: self.messages, ..Wanted::default() };
        program::exit(program, Gpu::open(program, &wanted).and_then(|gpu| draw(&gpu)))
    }

    /// Draws all frames, compares each with what it shows, and prints what a sample prints.
    pub fn run(&self, gpu: &Gpu, frames: &mut dyn Frames) -> Result<(), Error> {
        let result = Buffer::new(gpu, "result", self.size.pixels() * 4, vk::BufferUsageFlags::TRANSFER_DST)?;
        let commands = Commands::new(gpu)?;
        let mut last = (0, Vec::new());
        for number in 0..self.frames {
            commands.run(|c| {
                if number == 0 {
                    new_images::record(gpu, c, &frames.found());
                }
                frames.record(c, number);
                readback::record(gpu, c, frames.output(), self.size, &result);
            })?;
            let found = result.read()?;
            last = (frames.expected(number).check(number, &found)?, found);
        }
        program::report(self.size, &last.1, last.0, &[])
    }
}

/// What a sample draws, frame by frame.
pub trait Frames {
    /// What stands for the swapchain image. Each frame leaves it in the layout [`readback::COPIED`].
    fn output(&self) -> &Image<'_>;

    /// Images that every frame draws anew and finds in the layout in which the one before has left them: it names that layout and not
    /// UNDEFINED, so that a GPU may leave out the tiles that come out the same. When they are new they are given it.
    fn found(&self) -> Vec<(&Image<'_>, vk::ImageLayout)> {
        Vec::new()
    }

    /// Records frame number `frame`.
    fn record(&self, commands: vk::CommandBuffer, frame: u32);

    /// What the output of frame number `frame` shows; asked once for each frame, in order.
    fn expected(&mut self, frame: u32) -> Picture;
}
