//! The GPUs that can be modelled: one file of decisions and one file of data per family.
//!
//! A [`Profile`] is one GPU under one driver's policy. What a family decides, it decides behind [`Tiler`]; everything else in
//! the crate asks that trait and knows no family. A new family is a module, a file in `gpus/` and a row in `FAMILIES`; a new
//! GPU or another driver for it is data.

pub mod adreno;
pub mod apple;
mod choices;
pub mod compression;
mod data;
pub mod mali;
pub mod merge;
pub mod powervr;
mod select;
pub mod videocore;

pub(crate) use choices::choose;
pub use choices::{Choices, OverBudget};
pub use compression::Compression;
pub use data::{Confidence, DataError, Figure, Figures, Part, Value, load_user};
pub use merge::{Alternative, Grouping, MergeBasis, MergeStatus, Verdict};
pub use select::{RUNNING, SelectError, identify, select, select_for};

use crate::format;
use crate::model::{Attachments, Movement, PassView, Walk};
use crate::report;
use crate::units::Extent2D;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;
use once_cell::race::OnceBox;

/// One GPU with one driver's policy.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Lower-case kebab, e.g. `mali-g76`; another driver's policy is a suffix.
    pub id: String,
    /// Marketing name.
    pub name: String,
    /// Whose decisions are modelled.
    pub policy: String,
    /// Name of the family: `mali`, `adreno`, `apple`, `videocore`, `powervr`.
    pub family: &'static str,
    /// What else it is called, e.g. by the makers of devices.
    pub aliases: Vec<String>,
    /// How drivers name it.
    pub device: Device,
    /// Every figure the profile rests on, hardware first, each with unit, source and confidence.
    pub figures: Vec<Figure>,
    /// The family's decisions on this hardware. Profiles whose figures have the same values share one: what follows from it need
    /// be worked out only once.
    pub tiler: Arc<dyn Tiler>,
}

impl Profile {
    /// Whether everything that this GPU decides, the other decides alike: their figures have the same values.
    pub fn decides_like(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tiler, &other.tiler)
    }
}

/// How a GPU shows itself in VkPhysicalDeviceProperties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Values of vendorID.
    pub vendors: Vec<u32>,
    /// Values of deviceID, each as far as it tells models apart: those below 0x10000 are compared with its upper half.
    pub ids: Vec<u32>,
    /// What deviceName begins with or contains as a whole word.
    pub names: Vec<String>,
    /// Major and minor version of the drivers that decide so, as driverVersion packs them; empty for all.
    pub driver_versions: Vec<[u32; 2]>,
}

/// What a family decides. All answers follow from the recorded pass alone.
///
/// Profiles of a family differ in a few figures, and hardly an answer rests on all of them: a family asks the view, the walk
/// ([`Walk::by`]) or the attachments ([`Attachments::by`]) to recall what follows from the figures that count.
pub trait Tiler: Debug + Send + Sync {
    /// Which subpasses of the pass run together in one tile pass.
    fn grouping(&self, view: &PassView<'_>) -> Arc<Grouping>;

    /// Whether the driver merges subpasses at all.
    fn merges(&self) -> bool {
        true
    }

    /// Why the GPU runs the pass in immediate mode for sure; `None` where it does not.
    fn bypass(&self, view: &PassView<'_>) -> Option<Bypass> {
        let _ = view;
        None
    }

    /// How the GPU runs the subpasses `group` of the pass as one tile pass.
    fn plan(&self, view: &PassView<'_>, group: &[usize]) -> Plan;

    /// How the GPU runs each of these tile passes.
    fn plans(&self, view: &PassView<'_>, groups: &[Vec<usize>]) -> Arc<[Plan]> {
        groups.iter().map(|group| self.plan(view, group)).collect()
    }

    /// How the driver moves attachments.
    fn rules(&self) -> AttachmentRules;

    /// What the tile passes of a pass move between chip and memory. A driver that does what the specification asks for and no
    /// more needs no answer of its own.
    fn operations(&self, walk: &Walk<'_>) -> Arc<[Movement]> {
        walk.specified(self.rules())
    }

    /// The granularity of render areas, where the area of this pass keeps none and the driver loads attachments because of that: what
    /// stays beside the area in tiles that it covers in part.
    fn loads_beside(&self, view: &PassView<'_>) -> Option<Extent2D> {
        let _ = view;
        None
    }

    /// Whether the schemes that the GPU and its driver know compress the attachments of the pass; nothing where nothing is known.
    fn compression(&self, attachments: &Attachments<'_>) -> Arc<[report::Compression]> {
        let _ = attachments;
        Arc::default()
    }

    /// Whether the GPU blends attachments of this format at less than its full rate where they are multisampled. `false` where nothing
    /// is known.
    fn blends_samples_slowly(&self, format: &format::Info) -> bool {
        let _ = format;
        false
    }

    /// The same decisions but for what these choices settle; `None` if that changes nothing.
    fn choosing(&self, choices: &Choices) -> Option<Arc<dyn Tiler>> {
        let _ = choices;
        None
    }

    /// Decisions of this family that the model leaves out, as sentences for the report.
    fn not_modelled(&self) -> &'static [&'static str] {
        &[]
    }
}

/// VkPipelineStageFlags2 bits that families ask for.
pub mod stages {
    use crate::frame::{Dependency, SUBPASS_EXTERNAL};

    /// Framebuffer space: FRAGMENT_SHADER, EARLY_ and LATE_FRAGMENT_TESTS, COLOR_ATTACHMENT_OUTPUT.
    pub const FRAMEBUFFER: u64 = 0x80 | 0x100 | 0x200 | 0x400;
    /// TOP_OF_PIPE.
    pub const TOP: u64 = 0x1;
    /// BOTTOM_OF_PIPE.
    pub const BOTTOM: u64 = 0x2000;

    /// Whether a dependency can be met pixel by pixel, as Mesa's drivers judge it: by region and within framebuffer space. One
    /// on VK_SUBPASS_EXTERNAL, or of a subpass on itself, always can.
    pub fn is_framebuffer_local(dependency: &Dependency) -> bool {
        let external = dependency.src == SUBPASS_EXTERNAL || dependency.dst == SUBPASS_EXTERNAL;
        let by_region = dependency.flags & Dependency::BY_REGION != 0;
        let source = dependency.src_stages & !(FRAMEBUFFER | TOP) == 0;
        let destination = dependency.dst_stages & !(FRAMEBUFFER | BOTTOM) == 0;
        external || dependency.src == dependency.dst || (by_region && source && destination)
    }
}

/// Why a pass goes around tile memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bypass {
    /// The status that its subpasses have for it.
    pub status: MergeStatus,
    /// The reason.
    pub why: &'static str,
    /// What to change, as an instruction that "in" and the name of the pass complete.
    pub remedy: &'static str,
}

/// How a tile pass runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Tiled or immediate.
    pub mode: Mode,
    /// Tile or bin in pixels; `None` in immediate mode and where a format is unknown.
    pub tile: Option<Extent2D>,
    /// Tiles or bins per layer.
    pub tiles: Option<u64>,
    /// Bits per pixel held on chip, as the family counts them.
    pub bits_per_pixel: Option<u64>,
    /// Bits per pixel that fit at the full tile.
    pub budget_bits_per_pixel: Option<u64>,
    /// Loads and stores move whole multiples of this many pixels.
    pub granularity: Extent2D,
    /// What they do at the edge of an image.
    pub edge: Edge,
    /// Attachments that found no room on chip and are accessed in memory draw by draw.
    pub spilled: BTreeSet<u32>,
    /// Remarks for the reader.
    pub notes: Vec<Cow<'static, str>>,
}

/// What happens to the part of a tile that lies outside the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    /// Nothing is moved for it.
    #[default]
    Clipped,
    /// The image is padded in memory, and the tile is moved whole.
    Padded,
}

/// Whether rendering goes through on-chip memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Tile by tile.
    #[default]
    Tiled,
    /// Straight to memory.
    Immediate,
}

impl Mode {
    /// The word that the report uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tiled => "tiled",
            Self::Immediate => "immediate",
        }
    }
}

/// A driver's rules for moving attachments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttachmentRules {
    /// What happens where depth and stencil share a word and their operations differ.
    pub packed_depth_stencil: PackedDepthStencil,
    /// Whether a resolve target that is also a colour or depth/stencil attachment of the pass is read back after the resolve.
    pub resolve_loads_back: bool,
}

/// Depth and stencil in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedDepthStencil {
    /// If one of them moves, both do.
    Together,
    /// Not known: each is counted by its own operations, as an estimate where they differ.
    Apart,
}

impl AttachmentRules {
    /// The rules in the driver's part of a profile's data.
    pub(crate) fn read(figures: &Figures<'_>) -> Result<Self, DataError> {
        let packed_depth_stencil = match figures.text("packed_depth_stencil", "rule")? {
            "together" => PackedDepthStencil::Together,
            "apart" => PackedDepthStencil::Apart,
            _ => return Err(figures.refuse("packed_depth_stencil", "write \"together\" or \"apart\"")),
        };
        Ok(Self { packed_depth_stencil, resolve_loads_back: figures.flag("resolve_loads_back", "rule")? })
    }
}

/// A family: its name, its file of data, and what makes decisions of the data.
type Family = (&'static str, &'static str, fn(&Figures<'_>) -> Result<Arc<dyn Tiler>, DataError>);

const FAMILIES: &[Family] = &[
    ("mali", include_str!("../../gpus/mali.toml"), mali::read),
    ("adreno", include_str!("../../gpus/adreno.toml"), adreno::read),
    ("apple", include_str!("../../gpus/apple.toml"), apple::read),
    ("videocore", include_str!("../../gpus/videocore.toml"), videocore::read),
    ("powervr", include_str!("../../gpus/powervr.toml"), powervr::read),
];

/// Every built-in profile, family by family.
pub fn builtin() -> Vec<Profile> {
    known().to_vec()
}

/// Every built-in profile, read once per process. `std` has a cell for this, `core` has none that threads share.
fn known() -> &'static [Profile] {
    static KNOWN: OnceBox<Vec<Profile>> = OnceBox::new();
    // The files are part of the program and a test reads them all: one that fails here has never been released.
    let read = || FAMILIES.iter().filter_map(|family| data::load(family).ok()).flatten().collect();
    KNOWN.get_or_init(|| Box::new(read()))
}

/// The family of this name.
fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|(known, ..)| *known == name)
}

/// An answer per GPU id; GPUs that decide alike are asked once.
pub(crate) fn per_profile<T: Clone>(profiles: &[Profile], mut of: impl FnMut(&Profile) -> T) -> BTreeMap<String, T> {
    let mut answers: Vec<(&Profile, T)> = Vec::new();
    for profile in profiles {
        let known = answers.iter().find(|(other, _)| other.decides_like(profile)).map(|(_, answer)| answer.clone());
        let answer = known.unwrap_or_else(|| of(profile));
        answers.push((profile, answer));
    }
    answers.into_iter().map(|(profile, answer)| (profile.id.clone(), answer)).collect()
}

/// `x` rounded up to whole `step`s; `step` 0 counts as 1.
pub(crate) fn round_up(x: u64, step: u64) -> u64 {
    x.div_ceil(step.max(1)).saturating_mul(step.max(1))
}

/// The smallest k with 2^k >= `n`; 0 for 0.
pub(crate) fn ceil_log2(n: u64) -> u32 {
    n.max(1).checked_next_power_of_two().map_or(u64::BITS, u64::trailing_zeros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_file_is_whole() {
        for family in FAMILIES {
            if let Err(error) = data::load(family) {
                panic!("{error}");
            }
        }
    }

    #[test]
    fn ids_are_unique_lower_case_kebab_and_figures_have_a_public_source() {
        let mut seen = BTreeSet::new();
        for profile in builtin() {
            assert!(
                profile.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c)),
                "{}",
                profile.id
            );
            assert!(!profile.figures.is_empty(), "{}", profile.id);
            for figure in &profile.figures {
                assert!(figure.source.len() > 10, "{} {}", profile.id, figure.key);
                assert!(!figure.unit.is_empty(), "{} {}", profile.id, figure.key);
            }
            assert!(seen.insert(profile.id.clone()), "{} twice", profile.id);
        }
        assert!(seen.len() > 60, "{}", seen.len());
    }

    #[test]
    fn ceil_log2_is_the_drivers_util_logbase2_ceil() {
        let values: Vec<u32> = [0, 1, 2, 3, 4, 5, 1 << 40, u64::MAX].map(ceil_log2).to_vec();
        assert_eq!(values, [0, 0, 1, 2, 2, 3, 40, 64]);
    }
}
