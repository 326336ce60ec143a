//! libFuzzer's way into [`capture_reader`].
#![no_main]

#[path = "../src/capture_reader.rs"]
mod capture_reader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| capture_reader::run(bytes));
