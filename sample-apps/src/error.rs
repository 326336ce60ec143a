//! What can go wrong in a sample, each with what to do about it.

use ash::vk;

/// A sample's failure.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The Vulkan loader is missing.
    #[error(
        "the Vulkan loader cannot be loaded: {0}. Install it (Debian, Ubuntu: package libvulkan1) and a driver (mesa-vulkan-drivers)."
    )]
    Loader(#[from] ash::LoadingError),
    /// Options contradict each other.
    #[error("{0}")]
    Options(String),
    /// A Vulkan command failed.
    #[error("{command} failed: {result}")]
    Vulkan {
        /// Name of the command.
        command: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// There is no device to run on.
    #[error("{0}")]
    NoDevice(String),
    /// The device lacks something that the options ask for.
    #[error("the device {device} has no {what}: {remedy}")]
    Unsupported {
        /// Name of the device.
        device: String,
        /// What is missing.
        what: String,
        /// What to do instead.
        remedy: String,
    },
    /// A pixel is not what was drawn.
    #[error("frame {frame}: pixel ({x}, {y}) is {found:?}, expected {expected}")]
    WrongPixel {
        /// Number of the frame, from 0.
        frame: u32,
        /// Column.
        x: u32,
        /// Row.
        y: u32,
        /// R, G, B, A as found.
        found: [u8; 4],
        /// What it may be.
        expected: String,
    },
    /// The result cannot be printed.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] std::io::Error),
}

/// Gives a failed Vulkan command its name.
pub trait Named<T> {
    /// Turns a Vulkan result into an [`Error::Vulkan`] of `command`.
    fn named(self, command: &'static str) -> Result<T, Error>;
}

impl<T> Named<T> for Result<T, vk::Result> {
    fn named(self, command: &'static str) -> Result<T, Error> {
        self.map_err(|result| Error::Vulkan { command, result })
    }
}
