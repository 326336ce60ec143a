//! The Khronos validation layer below ours sees nothing that it does not see without us.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::Duration;
use tilelens_tests::real::layers::VALIDATION;
use tilelens_tests::real::{self, Display, Layers, Missing, sample};
use tilelens_tests::sandbox::Folder;
use tilelens_tests::{need, process};

/// The distinct messages of the validation layer, with numbers left out: handles and addresses differ between runs.
fn messages(mut command: Command, ours: bool) -> Result<BTreeSet<String>, Missing> {
    let folder = Folder::new();
    real::settings::apply(&mut command, &folder, &[]);
    let layers = Layers::new(&folder.0);
    let layers = if ours { layers.ours() } else { layers };
    let layers = layers.installed(VALIDATION, "vulkan-validationlayers")?;
    layers.enable(&mut command);
    let settings = folder.0.join("vk_layer_settings.txt");
    let log = folder.0.join("validation");
    let text = format!(
        "khronos_validation.report_flags = error,warn,perf,info\n\
         khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n\
         khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT,\
         VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n\
         khronos_validation.enable_message_limit = false\n\
         khronos_validation.log_filename = {}\n",
        log.display()
    );
    fs::write(&settings, text).unwrap();
    command.env("VK_LAYER_SETTINGS_PATH", &settings).env("VK_LOADER_DEBUG", "layer");
    let outcome = process::run(command, &folder.0, Duration::from_secs(180));
    assert!(outcome.status.success(), "{}", outcome.text());
    layers.assert_order(&outcome.stderr);
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains("Khronos Validation Layer Active"), "{text}");
    Ok(text.lines().map(without_numbers).filter(|l| !l.trim().is_empty()).collect())
}

/// A line with every run of digits, decimal or hexadecimal after 0x, replaced by `#`.
fn without_numbers(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        out.push_str(&rest[..at]);
        out.push('#');
        rest = &rest[at..];
        let hexadecimal = rest.strip_prefix("0x");
        rest = match hexadecimal {
            Some(digits) => digits.trim_start_matches(|c: char| c.is_ascii_hexdigit()),
            None => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
        };
    }
    out + rest
}

#[track_caller]
fn assert_nothing_new(without: &BTreeSet<String>, with: &BTreeSet<String>) {
    let new: Vec<&String> = with.difference(without).collect();
    assert!(new.is_empty(), "only with the layer: {new:#?}");
    let lost: Vec<&String> = without.difference(with).collect();
    assert!(lost.is_empty(), "no longer with the layer: {lost:#?}");
}

#[test]
fn numbers_are_left_out_of_the_comparison_and_words_are_not() {
    assert_eq!(without_numbers("VkImage 0x5f00ab[a] is 12 px"), "VkImage #[a] is # px");
    assert_ne!(without_numbers("VUID-vkCmdDraw"), without_numbers("VUID-vkCmdDispatch"));
}

#[test]
fn vkcube_gets_the_same_messages() {
    let display = need!(Display::start());
    let cube = || -> Result<Command, Missing> {
        let mut command = real::on_lavapipe(&real::program("vkcube", "vulkan-tools")?)?;
        command.args(["--c", "30"]).env("DISPLAY", &display.name);
        Ok(command)
    };
    let without = need!(messages(need!(cube()), false));
    let with = need!(messages(need!(cube()), true));
    // Best practices has much to say about vkcube: equal silence would prove little.
    assert!(without.iter().any(|m| m.contains("BestPractices")), "{without:?}");
    assert_nothing_new(&without, &with);
}

#[test]
fn the_sample_gets_the_same_messages_in_both_forms() {
    for form in [&["--size", "64x64", "--frames", "3"][..], &["--size", "64x64", "--dynamic", "--samples", "4"]] {
        let without = need!(messages(need!(sample::command("render_passes", form)), false));
        let with = need!(messages(need!(sample::command("render_passes", form)), true));
        assert_nothing_new(&without, &with);
    }
}
