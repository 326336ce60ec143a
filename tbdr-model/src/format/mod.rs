//! What a VkFormat is: size, block, components, aspects and planes.
//!
//! The table is generated from the Vulkan registry (`cargo xtask registry`); names are without `VK_FORMAT_`. Sizes are those
//! of the specification; what a GPU makes of a format on chip is the family's business (`crate::gpu`).

mod table;

use crate::frame::{Aspects, Format, Image};
use crate::units::{Bytes, Extent3D};
use alloc::borrow::Cow;
use alloc::format;

/// A format of the registry.
#[derive(Debug, PartialEq, Eq)]
pub struct Info {
    /// The format.
    pub format: Format,
    /// Name without `VK_FORMAT_`.
    pub name: &'static str,
    /// Bytes of a block: of a texel where the format is not compressed or subsampled.
    pub block_bytes: u32,
    /// Texels of a block in x, y and z.
    pub block: [u32; 3],
    /// Components in the order of the registry.
    pub components: &'static [Component],
    /// Planes of a multi-planar format; empty for all others.
    pub planes: &'static [Plane],
}

/// A component of a format.
#[derive(Debug, PartialEq, Eq)]
pub struct Component {
    /// `R`, `G`, `B`, `A`, `D` or `S`.
    pub name: &'static str,
    /// Bits; 0 in compressed formats.
    pub bits: u8,
    /// Encoding.
    pub numeric: Numeric,
}

/// Encoding of a component, named as in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Numeric {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Ufloat,
    Sfloat,
    Srgb,
    Sfixed5,
    Bool,
}

/// A plane of a multi-planar format.
#[derive(Debug, PartialEq, Eq)]
pub struct Plane {
    /// Width and height of the image divided by those of the plane.
    pub divisor: [u32; 2],
    /// Name of the single-plane format that the plane is compatible with.
    pub compatible: &'static str,
}

const fn component(name: &'static str, bits: u8, numeric: Numeric) -> Component {
    Component { name, bits, numeric }
}

const fn entry(
    value: i32,
    name: &'static str,
    block_bytes: u32,
    block: [u32; 3],
    components: &'static [Component],
    planes: &'static [Plane],
) -> Info {
    Info { format: Format(value), name, block_bytes, block, components, planes }
}

/// What is known of `format`; `None` for VK_FORMAT_UNDEFINED, external formats and formats newer than the table.
pub fn info(format: Format) -> Option<&'static Info> {
    // Most formats are those of Vulkan 1.0, which have the first numbers, each in its place.
    let first = usize::try_from(format.0).ok()?.checked_sub(1).and_then(|at| table::TABLE.get(at));
    first
        .filter(|row| row.format == format)
        .or_else(|| table::TABLE.binary_search_by_key(&format, |row| row.format).ok().map(|at| &table::TABLE[at]))
}

/// The format of this name, without `VK_FORMAT_`; names of extensions and aliases are found too.
pub fn by_name(name: &str) -> Option<&'static Info> {
    let name = table::ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, target)| *target);
    table::TABLE.iter().find(|row| row.name == name)
}

/// The format's name without `VK_FORMAT_`, or `UNKNOWN(n)`.
pub fn name(format: Format) -> Cow<'static, str> {
    match info(format) {
        Some(info) => Cow::Borrowed(info.name),
        None if format.0 == 0 => Cow::Borrowed("UNDEFINED"),
        None => Cow::Owned(format!("UNKNOWN({})", format.0)),
    }
}

/// Every format of the table, by ascending value.
pub fn all() -> &'static [Info] {
    table::TABLE
}

/// Bytes of the texels of an image: all mip levels, layers, samples and aspects. What a driver adds for alignment or compression is not in
/// it. `None` where the format is not known or has no one size.
pub fn image_bytes(image: &Image) -> Option<Bytes> {
    let info = info(image.format).filter(|info| info.planes.is_empty())?;
    // A hostile number of mip levels ends with the last that has a texel of its own.
    let levels = (0..image.mips.min(u32::BITS)).map(|mip| info.blocks(image.extent.mip(mip)));
    let blocks = levels.fold(0, u64::saturating_add);
    let texels = blocks.saturating_mul(u64::from(image.layers)).saturating_mul(u64::from(image.samples.max(1)));
    Some(Bytes(u64::from(info.block_bytes)) * texels)
}

/// VK_IMAGE_ASPECT_PLANE_0_BIT, _1 and _2.
pub const PLANE_ASPECTS: [Aspects; 3] = [Aspects(0x10), Aspects(0x20), Aspects(0x40)];

impl Info {
    /// The component of this name.
    pub fn component(&self, name: &str) -> Option<&'static Component> {
        self.components.iter().find(|c| c.name == name)
    }

    /// Aspects of the format: depth, stencil or both, else colour.
    pub fn aspects(&self) -> Aspects {
        let depth = if self.component("D").is_some() { Aspects::DEPTH.0 } else { 0 };
        let stencil = if self.component("S").is_some() { Aspects::STENCIL.0 } else { 0 };
        if depth | stencil == 0 { Aspects::COLOR } else { Aspects(depth | stencil) }
    }

    /// Bytes that one aspect takes of a block. Combined depth-stencil formats are split by component (D24_UNORM_S8_UINT is 3 + 1),
    /// a plane has the size of its compatible format. `None` where the format lacks the aspect, and for the colour aspect of
    /// multi-planar formats, whose texels have no one size.
    pub fn aspect_bytes(&self, aspect: Aspects) -> Option<Bytes> {
        if let Some(at) = PLANE_ASPECTS.iter().position(|plane| *plane == aspect) {
            let plane = by_name(self.planes.get(at)?.compatible)?;
            return Some(Bytes(u64::from(plane.block_bytes)));
        }
        let own = self.aspects();
        if !matches!(aspect, Aspects::COLOR | Aspects::DEPTH | Aspects::STENCIL) || !own.contains(aspect) {
            return None;
        }
        if own == aspect {
            return self.planes.is_empty().then_some(Bytes(u64::from(self.block_bytes)));
        }
        let component = self.component(if aspect == Aspects::DEPTH { "D" } else { "S" })?;
        Some(Bytes(u64::from(component.bits) / 8))
    }

    /// Bytes of one aspect of a texel in a buffer that is copied from or to an image: the 24 bits of depth take a word there
    /// (Vulkan specification, chapter Copy Commands).
    pub fn buffer_bytes(&self, aspect: Aspects) -> Option<Bytes> {
        let bytes = self.aspect_bytes(aspect)?;
        let depth24 = aspect == Aspects::DEPTH && self.component("D").is_some_and(|d| d.bits == 24);
        Some(if depth24 { Bytes(4) } else { bytes })
    }

    /// Whether depth and stencil share one word, so that memory moves both or merges one.
    pub fn packs_depth_stencil(&self) -> bool {
        self.name == "D24_UNORM_S8_UINT"
    }

    /// Blocks that `extent` texels touch.
    pub fn blocks(&self, extent: Extent3D) -> u64 {
        let along = |texels: u32, block: u32| u64::from(texels.div_ceil(block.max(1)));
        let [x, y, z] = self.block;
        along(extent.width, x).saturating_mul(along(extent.height, y)).saturating_mul(along(extent.depth, z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> &'static Info {
        by_name(name).unwrap_or_else(|| panic!("{name} is not in the table"))
    }

    #[test]
    fn the_table_is_sorted_and_names_are_unique() {
        assert!(all().windows(2).all(|pair| pair[0].format < pair[1].format));
        for row in all() {
            assert_eq!(by_name(row.name), Some(row));
            assert_eq!(info(row.format), Some(row));
        }
    }

    #[test]
    fn combined_formats_have_two_aspects_whose_bytes_add_up() {
        for row in all().iter().filter(|row| row.aspects() == Aspects(6)) {
            let sum = row.aspect_bytes(Aspects::DEPTH).unwrap() + row.aspect_bytes(Aspects::STENCIL).unwrap();
            assert_eq!(sum, Bytes(u64::from(row.block_bytes)), "{}", row.name);
        }
        assert_eq!(named("D24_UNORM_S8_UINT").aspect_bytes(Aspects::DEPTH), Some(Bytes(3)));
        assert_eq!(named("D32_SFLOAT_S8_UINT").aspect_bytes(Aspects::STENCIL), Some(Bytes(1)));
        assert_eq!(named("X8_D24_UNORM_PACK32").aspect_bytes(Aspects::DEPTH), Some(Bytes(4)));
        assert_eq!(named("S8_UINT").aspect_bytes(Aspects::DEPTH), None);
    }

    #[test]
    fn depth_of_24_bits_takes_a_word_in_a_buffer() {
        assert_eq!(named("D24_UNORM_S8_UINT").buffer_bytes(Aspects::DEPTH), Some(Bytes(4)));
        assert_eq!(named("D24_UNORM_S8_UINT").buffer_bytes(Aspects::STENCIL), Some(Bytes(1)));
    }

    #[test]
    fn blocks_round_up() {
        let bc1 = named("BC1_RGBA_UNORM_BLOCK");
        assert_eq!((bc1.block, bc1.block_bytes), ([4, 4, 1], 8));
        assert_eq!(bc1.blocks(Extent3D { width: 5, height: 4, depth: 1 }), 2);
        let most = Extent3D { width: u32::MAX, height: u32::MAX, depth: u32::MAX };
        assert_eq!(named("R8_UNORM").blocks(most), u64::MAX);
    }

    #[test]
    fn an_image_takes_all_its_levels_layers_and_samples() {
        let of = |name: &str, mips, layers, samples| {
            let extent = Extent3D { width: 8, height: 8, depth: 1 };
            image_bytes(&Image { format: named(name).format, extent, mips, layers, samples, ..Image::default() })
        };
        assert_eq!(of("D32_SFLOAT_S8_UINT", 1, 2, 4), Some(Bytes(8 * 8 * 5 * 2 * 4)));
        assert_eq!(of("R8_UNORM", 4, 1, 1), Some(Bytes(64 + 16 + 4 + 1)));
        assert_eq!(of("G8_B8R8_2PLANE_420_UNORM", 1, 1, 1), None);
        assert!(of("R8_UNORM", u32::MAX, u32::MAX, u32::MAX).is_some());
    }

    #[test]
    fn planes_have_the_size_of_their_compatible_format() {
        let nv12 = named("G8_B8R8_2PLANE_420_UNORM");
        assert_eq!(nv12.aspect_bytes(PLANE_ASPECTS[1]), Some(Bytes(2)));
        assert_eq!(nv12.aspect_bytes(PLANE_ASPECTS[2]), None);
        assert_eq!(nv12.aspect_bytes(Aspects::COLOR), None);
    }

    #[test]
    fn unknown_formats_have_a_name_all_the_same() {
        assert_eq!(name(Format(37)), "R8G8B8A8_UNORM");
        assert_eq!(name(Format(-5)), "UNKNOWN(-5)");
        assert_eq!(name(Format(0)), "UNDEFINED");
        assert_eq!(by_name("A8_UNORM_KHR").map(|i| i.name), Some("A8_UNORM"));
    }
}
