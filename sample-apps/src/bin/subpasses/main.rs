//! Deferred rendering: the G-buffer kept on chip by two subpasses or by local reads of a dynamic rendering, or sent through memory by two render passes.
//!
//! The configurations of the sample `subpasses` of the Khronos Vulkan-Samples with its toggles, without a window: the output is
//! copied to a host-visible buffer after each frame and checked pixel by pixel. One submission is one frame.
//! Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

mod frame;
mod local_read;
mod options;
mod passes;
mod targets;

use ash::vk;
use clap::Parser;
use frame::Frame;
use options::{GBuffer, Options};
use std::process::ExitCode;
use targets::Targets;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::commands::Commands;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::lighting::Lighting;
use tilelens_samples::visible::Visible;
use tilelens_samples::{Error, program, room};

fn main() -> ExitCode {
    let options = Options::parse();
    program::exit("subpasses", options.plan().map_err(Error::Options).and_then(|()| run(&options)))
}

fn run(options: &Options) -> Result<(), Error> {
    let gpu = Gpu::open("subpasses", &options.wanted())?;
    let size = options.size;
    let faces = room::faces(size);
    let result = Buffer::new(&gpu, "result", size.pixels() * 4, vk::BufferUsageFlags::TRANSFER_DST)?;
    let targets = Targets::new(&gpu, options)?;
    let frame = Frame::new(&gpu, options, &targets, &faces)?;
    let commands = Commands::new(&gpu)?;
    let visible = Visible::new(size, &faces, 1, true);
    let mut last = (0, Vec::new());
    for number in 0..options.frames {
        let lighting = Lighting::new(size, number);
        commands.run(|c| frame.record(c, &lighting, &result))?;
        let found = result.read()?;
        let checked = lighting.check(number, &faces, &visible, options.g_buffer == GBuffer::Small, &found)?;
        last = (checked, found);
    }
    program::report(size, &last.1, last.0, &[])
}
