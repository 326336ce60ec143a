//! Link arguments of the layer library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if os == "linux" || os == "android" {
        // The loader closes layers with the last instance; the analysis thread and thread-local caches must outlive that.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libVkLayer_tilelens.so");
        // Devices with 16 KiB pages refuse libraries with smaller segments.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,max-page-size=16384");
    }
}
