//! A depth map drawn by one pass and read by another: every way to name it to a shader, and maps that nobody reads.
//!
//! The output shows the map and is copied to a host-visible buffer after each frame and checked pixel by pixel. One submission is one
//! frame. Exit status: 0 all pixels right, 1 a wrong pixel, 2 the options or the device do not allow the run.

mod binding;
mod expect;
mod frame;
mod options;
mod passes;

use ash::vk;
use clap::Parser;
use frame::Frame;
use options::Options;
use std::process::ExitCode;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::commands::Commands;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::{Error, program, scene};

fn main() -> ExitCode {
    program::exit("sampled", run(&Options::parse()))
}

fn run(options: &Options) -> Result<(), Error> {
    let gpu = Gpu::open("sampled", &options.wanted())?;
    let size = options.size;
    let triangles = scene::triangles(size);
    let result = Buffer::new(&gpu, "result", size.pixels() * 4, vk::BufferUsageFlags::TRANSFER_DST)?;
    let frame = Frame::new(&gpu, options, &triangles)?;
    let commands = Commands::new(&gpu)?;
    let mut last = (0, Vec::new());
    for number in 0..options.frames {
        commands.run(|c| frame.record(c, number, &result))?;
        let found = result.read()?;
        let checked = expect::check(size, &triangles, number, options.read_in(number), &found)?;
        last = (checked, found);
    }
    program::report(size, &last.1, last.0, &[])
}
