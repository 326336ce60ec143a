//! Multisampling resolved on chip, or stored and resolved afterwards, with and without postprocessing.
//!
//! The configurations of the sample `msaa` of the Khronos Vulkan-Samples, without a window: the output is copied to a host-visible
//! buffer after each frame and checked pixel by pixel. One submission is one frame.
//! Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

mod expect;
mod frame;
mod options;
mod passes;
mod targets;

use ash::vk;
use clap::Parser;
use expect::Expected;
use frame::Frame;
use options::Options;
use std::process::ExitCode;
use targets::Targets;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::commands::Commands;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::visible::Visible;
use tilelens_samples::{Error, program, room};

fn main() -> ExitCode {
    let options = Options::parse();
    program::exit("msaa", options.plan().map_err(Error::Options).and_then(|()| run(&options)))
}

fn run(options: &Options) -> Result<(), Error> {
    let gpu = Gpu::open("msaa", &options.wanted())?;
    let size = options.size;
    let faces = room::faces(size);
    let result = Buffer::new(&gpu, "result", size.pixels() * 4, vk::BufferUsageFlags::TRANSFER_DST)?;
    let targets = Targets::new(&gpu, options)?;
    let frame = Frame::new(&gpu, options, &targets, &faces)?;
    let commands = Commands::new(&gpu)?;
    let standard = gpu.limits().standard_sample_locations == vk::TRUE;
    let visible = Visible::new(size, &faces, options.samples(), standard);
    let mut last = (0, Vec::new());
    for number in 0..options.frames {
        let expected = Expected::new(size, number, options.variant.postprocesses(), &faces, &visible);
        commands.run(|c| {
            if number == 0 {
                frame.begin(c);
            }
            frame.record(c, &expected.push_constants(), &result);
        })?;
        let found = result.read()?;
        last = (expected.check(&found)?, found);
    }
    let (blended, found) = last;
    program::report(size, &found, size.pixels(), &[format!("blended: {blended}")])
}
