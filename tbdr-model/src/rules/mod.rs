//! The table of rules.

pub mod bypasses_tile_memory;
mod candidate;
pub mod colour_over_budget;
mod declare;
pub mod dependency_not_by_region;
mod evidence;
mod gather;
pub mod input_attachment_from_memory;
pub mod load_of_dead_contents;
pub mod many_inputs;
pub mod multisampled_colour_stored;
pub mod resolve_by_command;
pub mod store_never_read;
pub mod subpass_not_merged;
pub mod transient_with_traffic;

pub use candidate::{Candidate, Claim, Instance, Worth};
pub(crate) use declare::rule;
pub use declare::{Category, Level, Rule};
pub use evidence::{Evidence, Idle, Structure};
pub use gather::{Gather, Sighting};

/// Every rule, by code.
pub static RULES: &[&Rule] = &[
    &load_of_dead_contents::LOAD_OF_DEAD_CONTENTS,
    &store_never_read::STORE_NEVER_READ,
    &transient_with_traffic::TRANSIENT_WITH_TRAFFIC,
    &subpass_not_merged::SUBPASS_NOT_MERGED,
    &colour_over_budget::COLOUR_OVER_BUDGET,
    &dependency_not_by_region::DEPENDENCY_NOT_BY_REGION,
    &input_attachment_from_memory::INPUT_ATTACHMENT_FROM_MEMORY,
    &bypasses_tile_memory::BYPASSES_TILE_MEMORY,
    &many_inputs::MANY_INPUTS,
    &resolve_by_command::RESOLVE_BY_COMMAND,
    &multisampled_colour_stored::MULTISAMPLED_COLOUR_STORED,
];
