//! The first line of a capture.

use serde::{Deserialize, Serialize};

/// Version of the format that this crate writes, and the newest that it reads. It rises when an older reader would
/// misunderstand a newer file; new optional fields do not raise it.
pub const VERSION: u32 = 1;

/// The first line of a capture: what tells it from other files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Header {
    /// [`VERSION`] of the writer.
    pub tilelens_capture: u32,
    /// Version of the program that wrote the file.
    #[serde(default)]
    pub writer: String,
}

impl Default for Header {
    fn default() -> Self {
        Self { tilelens_capture: VERSION, writer: env!("CARGO_PKG_VERSION").into() }
    }
}
