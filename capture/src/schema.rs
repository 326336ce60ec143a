//! The JSON schema of a line of a capture.

use crate::header::Header;
use tbdr_model::record::Record;

/// A line of a capture: the header is the first, each other is a record.
#[derive(schemars::JsonSchema)]
#[schemars(title = "A line of a Tilelens capture")]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)]
pub enum Line {
    /// The first line.
    Header(Header),
    /// Every other line.
    Record(Record),
}

/// The JSON schema of a line of a capture.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Line)
}
