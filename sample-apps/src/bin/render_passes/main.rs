//! One render pass, one subpass, colour and depth: every load and store operation by option.
//!
//! The configuration of the sample `render_passes` of the Khronos Vulkan-Samples, without a window: the colour image is copied to a
//! host-visible buffer after each frame and checked pixel by pixel. One submission is one frame; where something is loaded or kept, one
//! submission before the first frame gives the images their contents.
//! Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

mod frame;
mod options;
mod pass;
mod targets;
mod upload;

use ash::vk;
use clap::Parser;
use frame::Frame;
use options::Options;
use std::process::ExitCode;
use targets::Targets;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::commands::Commands;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::{Error, program, scene};

fn main() -> ExitCode {
    let options = Options::parse();
    program::exit("render_passes", options.plan().map_err(Error::Options).and_then(|()| run(&options)))
}

fn run(options: &Options) -> Result<(), Error> {
    let gpu = Gpu::open("render_passes", &options.wanted())?;
    let size = options.size;
    let triangles = scene::triangles(size);
    let vertices =
        Buffer::with_data(&gpu, "vertices", &scene::vertex_data(&triangles), vk::BufferUsageFlags::VERTEX_BUFFER)?;
    let result = Buffer::new(&gpu, "result", size.pixels() * 4, vk::BufferUsageFlags::TRANSFER_DST)?;
    let targets = Targets::new(&gpu, options)?;
    let frame = Frame::new(&gpu, options, &targets)?;
    let commands = Commands::batch(&gpu, options.command_buffers())?;
    let mut expected = tilelens_samples::expect::Contents::new(size, triangles, options.multisampled());

    if options.keeps_colour() || options.keeps_depth() {
        targets.fill_from_host(&gpu, options)?;
        commands.run(|c| targets.fill(&gpu, c, options))?;
        targets.expect_fill(&mut expected, options);
    }
    let mut last = (0, Vec::new());
    for number in 0..options.frames {
        let offset = scene::offset(size, number);
        let mut recorded = Ok(());
        commands.run_batch(|all| recorded = frame.record(all, &vertices, &result, offset))?;
        recorded?;
        let shown = options.expect_frame(&mut expected, offset);
        let mut found = result.read()?;
        let checked = shown.as_ref().unwrap_or(&expected).check(number, &mut found)?;
        last = (checked, found);
    }
    let (checked, found) = last;
    program::report(size, &found, checked, &[])
}
