//! TL011.

use super::{Candidate, Evidence, Instance, Structure, Worth, rule};
use crate::frame::{Attachment, Pass};
use crate::model::PassView;
use crate::report::{Basis, Quantity};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// Frames of more than 32 render passes, or with more than 8 passes whose render area has fewer than 128x128 pixels. Passes to
    /// different layers, faces or mip levels of the same images with the same operations count as one: shadow cascades, cube maps and
    /// mip chains need theirs.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Each pass is binned and flushed on its own: the GPU drains at its end, and its attachments travel at least one way. A pass of a
    /// few tiles leaves most of the GPU idle meanwhile.
    ///
    /// ## Bad
    /// A pass for each widget, particle or glyph that is added to an atlas.
    ///
    /// ## Good
    /// One pass for all that goes to the same images; `VK_KHR_multiview` or layered rendering for faces and views.
    ///
    /// ## How much
    /// A count: the passes beyond the number above. Bytes are what TL009 and TL010 find where passes can be merged.
    ///
    /// ## When to ignore
    /// Frames that do much once, such as a loading screen that bakes lighting.
    ///
    /// ## Known limits
    /// The numbers are a matter of taste: engines for phones get by with ten to twenty passes a frame, and 32 leaves room; a target
    /// below 128x128 pixels is 16 tiles of 32x32 or less. A pass without attachments counts like any other.
    ///
    /// ## References
    /// Arm, "Mali GPU Best Practices", render passes. Imagination, "PowerVR Performance Recommendations".
    PASS_FRAGMENTATION {
        code: "TL011",
        name: "pass-fragmentation",
        category: LoadStoreClear,
        level: Note,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["pass", "passes"],
        check: check,
    }
}

/// Passes of a frame that are not worth a word.
pub const USUAL_PASSES: u64 = 32;
/// Small passes of a frame that are not worth a word.
pub const USUAL_SMALL_PASSES: u64 = 8;
/// Pixels below which a render area is small.
pub const SMALL_AREA: u64 = 128 * 128;

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let (mut many, mut small): (Option<Candidate>, Option<Candidate>) = (None, None);
    for (number, structure) in &evidence.structures {
        let groups = groups(structure);
        let all: u64 = groups.iter().map(|(_, passes)| passes).sum();
        let small_ones: u64 = groups.iter().filter(|(small, _)| *small).map(|(_, passes)| passes).sum();
        let tell = |told: &mut Option<Candidate>, count: u64, usual: u64, fix: &str, why: &str| {
            if count <= usual {
                return;
            }
            let worth = Worth::Amount { quantity: Quantity::Count, value: count - usual, basis: Basis::Exact };
            let candidate = told.get_or_insert_with(Candidate::default);
            // The frame with the most is told.
            if candidate.instances.is_empty() || value(&candidate.worth) < value(&worth) {
                (candidate.fix, candidate.why) = (fix.to_string(), why.to_string());
                candidate.worth = worth;
            }
            candidate.frames.extend(structure.indices);
            candidate.instances.insert(*number, Instance::default());
        };
        tell(
            &mut many,
            all,
            USUAL_PASSES,
            "Draw into the same images in one pass, and into faces and layers with multiview or layered rendering",
            &format!("{all} render passes in a frame, each of which the GPU bins and drains on its own"),
        );
        tell(
            &mut small,
            small_ones,
            USUAL_SMALL_PASSES,
            "Draw what is small in one pass over a larger render area, such as an atlas",
            &format!("{small_ones} render passes in a frame cover fewer than 128x128 pixels each"),
        );
    }
    many.into_iter().chain(small).collect()
}

fn value(worth: &Worth) -> u64 {
    if let Worth::Amount { value, .. } = worth { *value } else { 0 }
}

/// Attachments by number, each with base layer and mip level.
type Parts = Vec<(u32, u32)>;

/// Groups of passes that differ in layer, face or mip level: whether they are small, and for how many passes they stand.
fn groups(structure: &Structure<'_>) -> Vec<(bool, u64)> {
    let mut groups: BTreeMap<Vec<u32>, BTreeMap<Parts, (u64, u64)>> = BTreeMap::new();
    for pass in &structure.whole.passes {
        let view = PassView::new(pass, &structure.frame.images);
        let [(x0, y0), (x1, y1)] = view.area_corners();
        let small = (x1 - x0).saturating_mul(y1 - y0) < SMALL_AREA;
        let parts = pass.attachments.iter().map(|a| (a.range.base_layer, a.range.base_mip)).collect();
        let of_part = groups.entry(kind(pass)).or_default().entry(parts).or_default();
        of_part.0 += 1;
        of_part.1 += u64::from(small);
    }
    // Each layer or level once is one; a layer that is rendered to several times counts as often.
    let told = |parts: BTreeMap<Parts, (u64, u64)>| {
        let most = parts.values().map(|(all, _)| *all).max().unwrap_or(0);
        let small = parts.values().all(|(all, small)| all == small);
        (small, most)
    };
    groups.into_values().map(told).collect()
}

/// Images and operations of a pass, as numbers that can be ordered.
fn kind(pass: &Pass) -> Vec<u32> {
    let of = |a: &Attachment| {
        let image = a.image.map_or(u32::MAX, |image| image.0);
        [image, a.load as u32, a.store as u32, a.stencil_load as u32, a.stencil_store as u32]
    };
    pass.attachments.iter().flat_map(of).collect()
}
