//! How PowerVR keeps attachments on chip: accumulation formats in dwords per sample, and which of them the PBE resolves.
//!
//! Rules as in Mesa 25.0.7, src/imagination/vulkan/pvr_formats.c and pvr_hw_pass.c.

use crate::format::{Info, Numeric};
use crate::frame::Aspects;

/// Whether every component has one of these encodings.
fn is(format: &Info, kinds: &[Numeric]) -> bool {
    format.components.iter().all(|c| kinds.contains(&c.numeric))
}

fn widest(format: &Info) -> u8 {
    format.components.iter().map(|c| c.bits).max().unwrap_or(0)
}

/// Bytes of a sample of this colour format in output registers; `None` for formats that cannot be rendered to.
pub fn accumulation_bytes(format: &Info) -> Option<u32> {
    let color = format.block == [1, 1, 1] && format.planes.is_empty() && format.component("R").is_some();
    let count = format.components.len() as u32;
    let srgb = format.components.iter().any(|c| c.numeric == Numeric::Srgb);
    let scaled = is(format, &[Numeric::Uscaled, Numeric::Sscaled]);
    match widest(format) {
        _ if !color || scaled => None,
        // sRGB is blended as 16-bit floats.
        1..=8 if srgb => Some(2 * count),
        1..=8 => Some(count),
        10 | 11 if is(format, &[Numeric::Unorm]) || is(format, &[Numeric::Ufloat]) => Some(2 * count),
        10 if is(format, &[Numeric::Uint]) => Some(4),
        16 => Some(2 * count),
        32 => Some(4 * count),
        _ => None,
    }
}

/// Dwords of a sample on chip: of a colour in output registers, of a depth attachment whose values are copied there.
pub fn dwords(format: &Info) -> Option<u32> {
    let bytes = match format.aspects() {
        Aspects::COLOR => accumulation_bytes(format)?,
        aspects if aspects.contains(Aspects::DEPTH) => format.block_bytes,
        _ => 0,
    };
    Some(bytes.div_ceil(4))
}

/// Whether the PBE resolves the format while it writes: it averages, which integers forbid, and not in more than 16-bit floats.
pub fn is_downscalable(format: &Info) -> bool {
    let integer = is(format, &[Numeric::Uint, Numeric::Sint]);
    let wide = match widest(format) {
        16 => !is(format, &[Numeric::Sfloat]),
        bits => bits > 16,
    };
    format.aspects() == Aspects::COLOR && !integer && !wide
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::by_name;

    #[test]
    fn an_srgb_target_takes_two_registers_and_a_linear_one_takes_one() {
        let dwords = |name| dwords(by_name(name).unwrap());
        assert_eq!(dwords("R8G8B8A8_UNORM"), Some(1));
        assert_eq!(dwords("R8G8B8A8_SRGB"), Some(2));
        assert_eq!(dwords("A2B10G10R10_UINT_PACK32"), Some(1));
        assert_eq!(dwords("R32G32B32_SFLOAT"), Some(3));
        assert_eq!(dwords("D24_UNORM_S8_UINT"), Some(1));
        assert_eq!(dwords("E5B9G9R9_UFLOAT_PACK32"), None);
        assert_eq!(dwords("R64G64B64A64_SFLOAT"), None);
    }

    #[test]
    fn integers_and_32_bit_floats_are_resolved_by_a_transfer() {
        let pbe = |name| is_downscalable(by_name(name).unwrap());
        assert!(pbe("R16G16B16A16_SFLOAT") && pbe("A2B10G10R10_UNORM_PACK32"));
        assert!(!pbe("R8_UINT") && !pbe("R32_SFLOAT") && !pbe("R16_UNORM") && !pbe("D16_UNORM"));
    }
}
