//! libFuzzer's way into [`settings`].
#![no_main]

#[path = "../src/settings.rs"]
mod settings;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| settings::run(bytes));
