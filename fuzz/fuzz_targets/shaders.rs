//! libFuzzer's way into [`shaders`].
#![no_main]

#[path = "../src/shaders.rs"]
mod shaders;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shaders::run(bytes));
