//! The table of rules.

pub mod aliased_attachments;
pub mod barrier_breaks_pass;
mod between;
pub mod bypasses_tile_memory;
mod candidate;
pub mod clear_attachments_at_start;
pub mod clear_command_wasted;
pub mod colour_over_budget;
mod compressible;
pub mod compression_off;
pub mod compute_graphics_alternation;
pub mod concurrent_render_target;
mod continuations;
pub mod copy_not_needed;
pub mod could_be_transient;
mod declare;
pub mod dependency_not_by_region;
pub mod destination_too_early;
pub mod discarded_then_read;
pub mod event_waited_at_once;
mod evidence;
pub mod flags_block_compression;
pub mod format_not_compressible;
pub mod fragment_to_geometry_dependency;
pub mod full_drain;
mod gather;
pub mod general_layout_attachment;
pub mod input_attachment_from_memory;
pub mod lazy_memory_committed;
mod lives;
pub mod load_after_clear_command;
pub mod load_after_transfer;
pub mod load_of_dead_contents;
pub mod load_store_larger_than_drawn;
pub mod many_inputs;
pub mod mergeable_barriers;
pub mod multisample_blend_slow;
pub mod multisampled_colour_stored;
pub mod multisampled_loaded;
pub mod multisampled_not_transient;
mod narrower;
mod orders;
pub mod pass_fragmentation;
pub mod pass_split;
pub mod ping_pong;
pub mod read_only_attachment_stored;
pub mod redundant_barrier;
pub mod render_area_misaligned;
pub mod resolve_by_command;
pub mod signature_lost_blit;
pub mod signature_lost_layout;
pub mod signature_lost_undefined;
mod signatures;
pub mod source_too_late;
pub mod stencil_unused;
pub mod storage_usage_blocks_compression;
pub mod store_never_read;
mod stretches;
pub mod subpass_not_merged;
mod tiles;
mod timeline;
pub mod too_many_samples;
pub mod transient_not_lazy;
pub mod transient_with_traffic;
pub mod undefined_depth_tested;
pub mod undefined_stored;
mod untouched;
pub mod unused_attachment_traffic;

pub use candidate::{Candidate, Claim, Instance, Worth};
pub use declare::{Category, Level, Rule};
pub(crate) use declare::{counts, rule};
pub use evidence::{Evidence, Idle, Structure};
pub use gather::{Gather, Sighting};
pub use lives::{Families, Life, Place, Uses};

/// Every rule, by code.
pub static RULES: &[&Rule] = &[
    &load_of_dead_contents::LOAD_OF_DEAD_CONTENTS,
    &load_after_clear_command::LOAD_AFTER_CLEAR_COMMAND,
    &load_after_transfer::LOAD_AFTER_TRANSFER,
    &clear_command_wasted::CLEAR_COMMAND_WASTED,
    &clear_attachments_at_start::CLEAR_ATTACHMENTS_AT_START,
    &store_never_read::STORE_NEVER_READ,
    &unused_attachment_traffic::UNUSED_ATTACHMENT_TRAFFIC,
    &read_only_attachment_stored::READ_ONLY_ATTACHMENT_STORED,
    &pass_split::PASS_SPLIT,
    &ping_pong::PING_PONG,
    &pass_fragmentation::PASS_FRAGMENTATION,
    &render_area_misaligned::RENDER_AREA_MISALIGNED,
    &load_store_larger_than_drawn::LOAD_STORE_LARGER_THAN_DRAWN,
    &undefined_depth_tested::UNDEFINED_DEPTH_TESTED,
    &discarded_then_read::DISCARDED_THEN_READ,
    &copy_not_needed::COPY_NOT_NEEDED,
    &undefined_stored::UNDEFINED_STORED,
    &could_be_transient::COULD_BE_TRANSIENT,
    &transient_not_lazy::TRANSIENT_NOT_LAZY,
    &transient_with_traffic::TRANSIENT_WITH_TRAFFIC,
    &lazy_memory_committed::LAZY_MEMORY_COMMITTED,
    &aliased_attachments::ALIASED_ATTACHMENTS,
    &stencil_unused::STENCIL_UNUSED,
    &subpass_not_merged::SUBPASS_NOT_MERGED,
    &colour_over_budget::COLOUR_OVER_BUDGET,
    &dependency_not_by_region::DEPENDENCY_NOT_BY_REGION,
    &input_attachment_from_memory::INPUT_ATTACHMENT_FROM_MEMORY,
    &bypasses_tile_memory::BYPASSES_TILE_MEMORY,
    &many_inputs::MANY_INPUTS,
    &resolve_by_command::RESOLVE_BY_COMMAND,
    &multisampled_colour_stored::MULTISAMPLED_COLOUR_STORED,
    &multisampled_loaded::MULTISAMPLED_LOADED,
    &multisampled_not_transient::MULTISAMPLED_NOT_TRANSIENT,
    &too_many_samples::TOO_MANY_SAMPLES,
    &multisample_blend_slow::MULTISAMPLE_BLEND_SLOW,
    &signature_lost_undefined::SIGNATURE_LOST_UNDEFINED,
    &signature_lost_layout::SIGNATURE_LOST_LAYOUT,
    &signature_lost_blit::SIGNATURE_LOST_BLIT,
    &storage_usage_blocks_compression::STORAGE_USAGE_BLOCKS_COMPRESSION,
    &flags_block_compression::FLAGS_BLOCK_COMPRESSION,
    &format_not_compressible::FORMAT_NOT_COMPRESSIBLE,
    &general_layout_attachment::GENERAL_LAYOUT_ATTACHMENT,
    &concurrent_render_target::CONCURRENT_RENDER_TARGET,
    &compression_off::COMPRESSION_OFF,
    &full_drain::FULL_DRAIN,
    &destination_too_early::DESTINATION_TOO_EARLY,
    &source_too_late::SOURCE_TOO_LATE,
    &fragment_to_geometry_dependency::FRAGMENT_TO_GEOMETRY_DEPENDENCY,
    &redundant_barrier::REDUNDANT_BARRIER,
    &mergeable_barriers::MERGEABLE_BARRIERS,
    &event_waited_at_once::EVENT_WAITED_AT_ONCE,
    &barrier_breaks_pass::BARRIER_BREAKS_PASS,
    &compute_graphics_alternation::COMPUTE_GRAPHICS_ALTERNATION,
];
