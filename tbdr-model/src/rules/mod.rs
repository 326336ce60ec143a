//! The table of rules.

mod candidate;
mod declare;
mod evidence;
mod gather;
pub mod load_of_dead_contents;
pub mod multisampled_colour_stored;
pub mod resolve_by_command;
pub mod store_never_read;
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
    &resolve_by_command::RESOLVE_BY_COMMAND,
    &multisampled_colour_stored::MULTISAMPLED_COLOUR_STORED,
];
