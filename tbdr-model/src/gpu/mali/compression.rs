//! AFBC and transaction elimination: which attachments they apply to.
//!
//! AFBC by Arm's documented conditions (Khronos Vulkan-Samples, samples/performance/afbc/README.adoc) with the list of formats
//! that Mesa 25.0.7 knows (src/panfrost/lib/pan_afbc.c) for GPUs before Valhall; transaction elimination by Arm's documents and
//! Mesa's conditions (src/panfrost/lib/pan_desc.c).

use super::Afbc;
use crate::format::Info;
use crate::frame::{Image, Subpass, usage};
use crate::gpu::Plan;
use crate::gpu::compression::{Compression, LINEAR, Metadata, TRANSACTION_ELIMINATION, flags, is_storage, used_for};
use crate::model::{Attachments, PassView};
use crate::report;
use alloc::borrow::Cow;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

const AFBC: &str = "AFBC";
const ELIMINATION: &str = TRANSACTION_ELIMINATION;

/// A header of 16 bytes per superblock; the body is what gets smaller.
const SUPERBLOCK: Metadata = Metadata { bytes: 16, block: [16, 16] };
/// A signature per tile.
const SIGNATURE: Metadata = Metadata { bytes: 8, block: [16, 16] };

/// First generation whose compression Arm documents for Vulkan: G51 and later.
const BIFROST_2: u64 = 7;
/// First generation that compresses every format of up to 32 bits: G77 and later.
const VALHALL: u64 = 9;
/// First generation whose data sheet lists four 16-bit channels.
const VALHALL_3: u64 = 10;

/// Formats that AFBC knows before Valhall.
const LISTED: &[&str] = &[
    "A1B5G5R5_UNORM_PACK16",
    "A1R5G5B5_UNORM_PACK16",
    "A2B10G10R10_UNORM_PACK32",
    "A2R10G10B10_UNORM_PACK32",
    "A8B8G8R8_SRGB_PACK32",
    "A8B8G8R8_UNORM_PACK32",
    "B4G4R4A4_UNORM_PACK16",
    "B5G6R5_UNORM_PACK16",
    "B8G8R8A8_SRGB",
    "B8G8R8A8_UNORM",
    "B8G8R8_SRGB",
    "B8G8R8_UNORM",
    "D16_UNORM",
    "D24_UNORM_S8_UINT",
    "R4G4B4A4_UNORM_PACK16",
    "R5G6B5_UNORM_PACK16",
    "R8G8B8A8_SRGB",
    "R8G8B8A8_UNORM",
    "R8G8B8_SRGB",
    "R8G8B8_UNORM",
    "R8G8_SRGB",
    "R8G8_UNORM",
    "R8_SRGB",
    "R8_UNORM",
    "X8_D24_UNORM_PACK32",
];

/// What the facts rest on.
#[derive(Clone, Copy, PartialEq)]
struct Basis {
    afbc: Afbc,
    architecture: u64,
    /// The tile is smaller than 16x16, or there is none.
    small: bool,
}

/// What both schemes make of the attachments.
pub(super) fn facts(afbc: Afbc, architecture: u64, attachments: &Attachments<'_>) -> Arc<[report::Compression]> {
    let view = attachments.view;
    // Generations that answer alike.
    let architecture = match architecture {
        ..BIFROST_2 => 0,
        BIFROST_2..VALHALL => BIFROST_2,
        VALHALL..VALHALL_3 => VALHALL,
        VALHALL_3.. => VALHALL_3,
    };
    let basis = |plan: &Plan| Basis { afbc, architecture, small: plan.tile.is_none_or(|tile| tile.pixels() < 256) };
    let fact = |index: u32, plan: &Plan, facts: &mut Vec<Compression>| basis(plan).fact(view, index, facts);
    let mut all = attachments.plans.iter().map(basis);
    match all.next() {
        Some(first) if all.all(|other| other == first) => attachments.by(first, fact),
        _ => attachments.each(fact),
    }
}

impl Basis {
    /// Adds what both schemes make of an attachment.
    fn fact(self, view: &PassView<'_>, index: u32, facts: &mut Vec<Compression>) {
        let Self { afbc, architecture, small } = self;
        let image = view.attachment(index).and_then(|a| view.image(a));
        let Some(image) = image else {
            facts.extend([AFBC, ELIMINATION].map(|scheme| Compression::unknown(scheme, "the image is unknown")));
            return;
        };
        facts.push(match afbc {
            Afbc::Off => Compression::refused(AFBC, "the driver uses it only with PANVK_DEBUG=afbc"),
            Afbc::Unknown => Compression::unknown(AFBC, "not known of this driver"),
            Afbc::Arm => match refused(architecture, image, view.format(index)) {
                Some(_) if is_doubtful(architecture, image, view.format(index)) => Compression::unknown(
                    AFBC,
                    "D32_SFLOAT is in no list for this generation, but published counters of a Mali-G76 fit its compression",
                ),
                Some(why) => Compression::refused(AFBC, why),
                None => Compression::applies(AFBC, "format, usage and flags of the image allow it", SUPERBLOCK),
            },
        });
        let is_color = |s: &&Subpass| s.color.iter().flatten().any(|used| used.attachment == index);
        let subpass = view.pass.subpasses.iter().find(is_color);
        if let (Some(subpass), Afbc::Arm) = (subpass, afbc) {
            facts.push(match not_eliminated(architecture, image, subpass, small) {
                Some(why) => Compression::refused(ELIMINATION, why),
                None => Compression::applies(ELIMINATION, "tiles that did not change are not written again", SIGNATURE),
            });
        }
    }
}

/// Why AFBC does not apply.
fn refused(architecture: u64, image: &Image, format: Option<&Info>) -> Option<Cow<'static, str>> {
    let Some(format) = format else { return Some("the format is unknown".into()) };
    if architecture < BIFROST_2 {
        return Some("documented from Mali-G51 on".into());
    }
    if let Some(why) = shape(image) {
        return Some(why.into());
    }
    if is_storage(image) {
        return Some("VK_IMAGE_USAGE_STORAGE_BIT".into());
    }
    if used_for(image, usage::TRANSIENT_ATTACHMENT) {
        return Some("VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT".into());
    }
    if image.flags & flags::MUTABLE_FORMAT != 0 {
        return Some("VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT".into());
    }
    if image.flags & flags::ALIAS != 0 {
        return Some("VK_IMAGE_CREATE_ALIAS_BIT".into());
    }
    let four_halves = format.block_bytes == 8 && format.components.iter().all(|c| c.bits == 16);
    let known = match architecture {
        VALHALL_3.. => format.block_bytes <= 4 || four_halves,
        VALHALL.. => format.block_bytes <= 4,
        _ => LISTED.binary_search(&format.name).is_ok(),
    };
    (!known).then(|| format!("{} is not among the formats of this generation", format.name).into())
}

/// Whether only the list of formats speaks against depth in 32 bits. The sample `msaa` of the Khronos Vulkan-Samples has it, and its
/// counters on a Mali-G76 fit a depth image of one sample that is read compressed.
fn is_doubtful(architecture: u64, image: &Image, format: Option<&Info>) -> bool {
    let depth = format.is_some_and(|format| format.name == "D32_SFLOAT");
    depth && architecture >= BIFROST_2 && refused(VALHALL, image, format).is_none()
}

/// What both schemes ask of the image.
fn shape(image: &Image) -> Option<&'static str> {
    if image.samples > 1 {
        Some("more than one sample")
    } else if image.dimension != 1 {
        Some("not a 2D image")
    } else if image.tiling == LINEAR {
        Some("linear tiling")
    } else {
        None
    }
}

/// Why transaction elimination does not apply.
fn not_eliminated(architecture: u64, image: &Image, subpass: &Subpass, small: bool) -> Option<&'static str> {
    if image.samples > 1 {
        Some("more than one sample")
    } else if image.mips > 1 {
        Some("more than one mip level")
    } else if used_for(image, usage::TRANSIENT_ATTACHMENT) {
        Some("VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT")
    } else if architecture < BIFROST_2 && subpass.color.iter().flatten().count() > 1 {
        Some("more than one colour attachment, before Mali-G51")
    } else if small {
        Some("the tile is smaller than 16x16")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::by_name;

    fn image() -> Image {
        Image { dimension: 1, samples: 1, mips: 1, usage: usage::COLOR_ATTACHMENT, ..Image::default() }
    }

    #[test]
    fn the_list_is_sorted_and_names_formats() {
        assert!(LISTED.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(LISTED.iter().all(|name| by_name(name).is_some()));
    }

    #[test]
    fn a_storage_swapchain_is_not_compressed_and_says_so() {
        let rgba8 = by_name("R8G8B8A8_UNORM");
        assert_eq!(refused(7, &image(), rgba8), None);
        let storage = Image { usage: usage::STORAGE | usage::COLOR_ATTACHMENT, ..image() };
        assert_eq!(refused(7, &storage, rgba8).as_deref(), Some("VK_IMAGE_USAGE_STORAGE_BIT"));
        assert_eq!(refused(6, &image(), rgba8).as_deref(), Some("documented from Mali-G51 on"));
        assert!(refused(7, &Image { samples: 4, ..image() }, rgba8).is_some());
    }

    #[test]
    fn depth_in_32_bits_is_undecided_before_valhall_where_nothing_else_speaks_against_it() {
        let depth = by_name("D32_SFLOAT");
        assert!(is_doubtful(7, &image(), depth) && !is_doubtful(6, &image(), depth));
        assert!(!is_doubtful(7, &Image { samples: 4, ..image() }, depth), "more than one sample");
        assert!(!is_doubtful(7, &image(), by_name("R32_SFLOAT")));
    }

    #[test]
    fn float_formats_compress_from_valhall_on() {
        let (packed, half) = (by_name("B10G11R11_UFLOAT_PACK32"), by_name("R16G16B16A16_SFLOAT"));
        assert!(refused(7, &image(), packed).is_some() && refused(9, &image(), packed).is_none());
        assert!(refused(9, &image(), half).is_some() && refused(10, &image(), half).is_none());
    }

    #[test]
    fn transaction_elimination_needs_a_full_tile_and_one_target_before_g51() {
        let one = Subpass { color: [Some(Default::default())].into(), ..Subpass::default() };
        let two = Subpass { color: [Some(Default::default()); 2].into(), ..Subpass::default() };
        assert_eq!(not_eliminated(6, &image(), &one, false), None);
        assert!(not_eliminated(6, &image(), &two, false).is_some());
        assert_eq!(not_eliminated(7, &image(), &two, false), None);
        assert!(not_eliminated(7, &image(), &two, true).is_some());
    }
}
