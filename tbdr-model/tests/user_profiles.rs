//! Profiles that users write: the shape of the built-in files, and nothing in one of them breaks anything.

mod frames;

use frames::*;
use proptest::prelude::*;
use tbdr_model::frame::*;
use tbdr_model::gpu::{Profile, load_user};
use tbdr_model::model::tile_passes;

const FILES: &[(&str, &str)] = &[
    ("adreno", include_str!("../gpus/adreno.toml")),
    ("apple", include_str!("../gpus/apple.toml")),
    ("mali", include_str!("../gpus/mali.toml")),
    ("powervr", include_str!("../gpus/powervr.toml")),
    ("videocore", include_str!("../gpus/videocore.toml")),
];

/// A built-in file as a user would start from it.
fn as_users(family: &str, text: &str) -> String {
    format!("family = \"{family}\"\n{}", text.replace("id = \"", "id = \"my-"))
}

#[test]
fn a_copy_of_a_built_in_file_with_ids_of_its_own_is_a_user_profile() {
    for (family, text) in FILES {
        let profiles = load_user(&as_users(family, text), "my.toml").unwrap_or_else(|error| panic!("{error}"));
        assert!(profiles.iter().all(|p| p.family == *family && p.id.starts_with("my-")));
    }
}

#[test]
fn what_a_user_writes_is_what_is_modelled() {
    let (family, text) = FILES[2];
    let larger = as_users(family, text).replace("color_buffer = { value = 4096", "color_buffer = { value = 8192");
    let profiles = load_user(&larger, "my.toml").unwrap_or_else(|error| panic!("{error}"));
    let g71 = profiles.iter().find(|p| p.id == "my-mali-g71").expect("my-mali-g71");
    let color = ["R32G32B32A32_SFLOAT"; 2].map(|f| attachment(f, LoadOp::Clear, StoreOp::Store));
    let pass = pass([640, 480], color.to_vec(), vec![subpass(&[0, 1], None, &[])]);
    assert_eq!(tile_passes(&pass, &[], g71)[0].tile, Some([16, 16].into()));
    assert_eq!(tile_passes(&pass, &[], &gpus(&["mali-g71"])[0])[0].tile, Some([16, 8].into()));
}

/// Evaluates passes of all kinds.
fn exercise(profile: &Profile) {
    let sizes = [[1, 1], [640, 480], [16384, 16384], [u32::MAX, u32::MAX]];
    for extent in sizes {
        for samples in [1, 4, u32::MAX] {
            let mut all: Vec<Attachment> = ["R8_UNORM", "R32G32B32A32_SFLOAT", "R8G8B8A8_UNORM", "D24_UNORM_S8_UINT"]
                .map(|f| Attachment { samples, ..attachment(f, LoadOp::Load, StoreOp::Store) })
                .into();
            all.push(attachment("R8G8B8A8_UNORM", LoadOp::DontCare, StoreOp::Store));
            let first = subpass(&[0, 1, 2], Some(3), &[]);
            let mut second = subpass(&[2], None, &[0, 1]);
            second.resolve = vec![Some(ResolveUse { attachment: 4, mode: 2, ..ResolveUse::default() })];
            tile_passes(&pass(extent, all, vec![first, second]), &[], profile);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_figure_makes_a_decision_panic(
        file in prop::sample::select(FILES.to_vec()),
        numbers in prop::collection::vec(
            prop::sample::select(vec![0u64, 1, 2, 3, 4, 5, 16, 31, 64, 255, 1024, 4096, 1 << 20, 1 << 30, 1 << 32, i64::MAX as u64]),
            1..12,
        ),
        odds in 2usize..6,
    ) {
        let text = as_users(file.0, file.1);
        let mut next = numbers.iter().cycle();
        let mut at = 0;
        // Some numbers are replaced, those of pairs too.
        let hostile: Vec<String> = text
            .lines()
            .map(|line| {
                let Some((key, rest)) = line.split_once("{ value = ") else { return line.to_string() };
                let Some((value, rest)) = rest.split_once(", unit") else { return line.to_string() };
                at += 1;
                let number = next.next().copied().unwrap_or_default();
                let value = match value.chars().next() {
                    Some('0'..='9') if at % odds == 0 => number.to_string(),
                    Some('[') if at % odds == 0 => format!("[{}, {}]", number.min(u64::from(u32::MAX)), number.min(300)),
                    _ => value.to_string(),
                };
                format!("{key}{{ value = {value}, unit{rest}")
            })
            .collect();
        // A file is refused at its first fault, so each GPU is tried on its own.
        let hostile = hostile.join("\n");
        let (head, gpus) = hostile.split_once("[[gpu]]").expect("a GPU");
        for gpu in gpus.split("[[gpu]]") {
            match load_user(&format!("{head}[[gpu]]{gpu}"), "my.toml") {
                Ok(profiles) => profiles.iter().for_each(exercise),
                Err(error) => prop_assert!(error.to_string().starts_with("my.toml"), "{error}"),
            }
        }
    }
}
