//! The profile of the GPU that a Vulkan driver describes.
//!
//! Drivers name a GPU in deviceName, with more or less around it: "Mali-G76", "Mali-G710 MC10", "Turnip Adreno (TM) 650",
//! "Apple M1 (G13G B1)". The longest name of a profile that stands in it as whole words decides; deviceID decides between equals
//! and where no name fits, and a profile of certain driver versions goes before one of all. A name counts only under the vendors of its family, so that no software renderer passes for a GPU.

use super::super::{Device, Profile, known};
use crate::record;
use alloc::string::String;

/// The profile of the GPU with these properties; `None` if it is not one of those that are modelled.
pub fn identify(running: &record::Device) -> Option<Profile> {
    // VK_MAX_PHYSICAL_DEVICE_NAME_SIZE is 256.
    let name: String = running.name.chars().take(256).map(|c| c.to_ascii_lowercase()).collect();
    let score = |device: &Device| {
        let named = device.names.iter().filter(|n| stands_in(&name, &n.to_ascii_lowercase())).map(String::len).max();
        let numbered = device.ids.iter().any(|id| is_id(running.device_id, *id));
        (named.unwrap_or(0), numbered, !device.driver_versions.is_empty())
    };
    let is_driver = |device: &Device| {
        device.driver_versions.is_empty() || device.driver_versions.contains(&version(running.driver_version))
    };
    let scored = known().iter().filter(|p| p.device.vendors.contains(&running.vendor_id) && is_driver(&p.device));
    let scored = scored.map(|p| (score(&p.device), p)).filter(|((named, numbered, _), _)| *named > 0 || *numbered);
    // Of equals the first: the vendor's own driver stands before others.
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, profile)| profile.clone())
}

/// Major and minor version of a driverVersion that is packed as VK_MAKE_API_VERSION does, as Mesa's are.
fn version(packed: u32) -> [u32; 2] {
    [packed >> 22 & 0x7f, packed >> 12 & 0x3ff]
}

/// Whether `part` stands in `name` as whole words.
fn stands_in(name: &str, part: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_cut = |at: usize| {
        let (before, after) = (name[..at].chars().next_back(), name[at + part.len()..].chars().next());
        is_word(before) || (is_word(part.chars().next_back()) && is_word(after))
    };
    !part.is_empty() && name.match_indices(part).any(|(at, _)| !is_cut(at))
}

/// Whether a deviceID is that of the model `id`: Arm's and Mesa's drivers give the product in the upper half, and the revision in
/// the lower one.
fn is_id(device_id: u32, id: u32) -> bool {
    if id < 0x1_0000 { id != 0 && device_id >> 16 == id } else { device_id == id }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(vendor_id: u32, device_id: u32, name: &str) -> record::Device {
        record::Device { vendor_id, device_id, name: name.into(), ..record::Device::default() }
    }

    fn id(vendor: u32, device_id: u32, name: &str) -> Option<String> {
        identify(&device(vendor, device_id, name)).map(|p| p.id)
    }

    #[test]
    fn mesas_version_tells_which_panvk_runs() {
        let running = |major: u32, minor: u32| {
            let driver_version = major << 22 | minor << 12 | 7;
            let device = record::Device { driver_version, ..device(0x13B5, 0xA867_0000, "Mali-G610 MC4 (Panfrost)") };
            identify(&device).map(|p| p.id)
        };
        assert_eq!(running(25, 0).as_deref(), Some("mali-g610-panvk-25.0"));
        assert_eq!(running(25, 1).as_deref(), Some("mali-g610-panvk"));
        assert_eq!(running(26, 0).as_deref(), Some("mali-g610-panvk"));
    }

    #[test]
    fn drivers_names_lead_to_the_gpu() {
        for (vendor, name, expected) in [
            (0x13B5, "Mali-G76", "mali-g76"),
            (0x13B5, "Mali-G710 MC10", "mali-g710"),
            (0x13B5, "Mali-G71", "mali-g71"),
            (0x13B5, "Mali-G720-Immortalis MC12", "mali-g720"),
            (0x13B5, "Mali-G610 MC4 (Panfrost)", "mali-g610-panvk"),
            (0x5143, "Adreno (TM) 650", "adreno-650"),
            (0x5143, "Turnip Adreno (TM) 740", "adreno-740"),
            (0x5143, "Qualcomm(R) Adreno(TM) X1-85 GPU", "adreno-x1-85"),
            (0x106B, "Apple M1", "apple-m1"),
            (0x106B, "Apple M2 Max", "apple-m2"),
            (0x10005, "Apple M1 (G13G B1)", "apple-m1-hk"),
            (0x14E4, "V3D 7.1.10.2", "videocore-vii"),
            (0x1010, "PowerVR Rogue GX6250", "powervr-gx6250"),
        ] {
            assert_eq!(id(vendor, 0, name).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn the_device_id_decides_between_gpus_of_one_name_and_where_the_name_says_nothing() {
        assert_eq!(id(0x13B5, 0x7402_1000, "Mali-G52").as_deref(), Some("mali-g52-r1"));
        assert_eq!(id(0x13B5, 0x7212_0000, "Mali-G52").as_deref(), Some("mali-g52"));
        assert_eq!(id(0x13B5, 0x7211_0000, "a phone").as_deref(), Some("mali-g76"));
    }

    #[test]
    fn a_name_that_only_looks_like_a_gpu_is_none() {
        assert_eq!(id(0x13B5, 0, "Mali-G760"), None);
        assert_eq!(id(0x10005, 0, "llvmpipe (LLVM 19.1.7, 256 bits)"), None);
        assert_eq!(id(0x8086, 0, "Mali-G76"), None);
        assert_eq!(id(0x13B5, 0, &"Mali-G7".repeat(1 << 18)), None);
        assert_eq!(id(0, 0, ""), None);
    }
}
