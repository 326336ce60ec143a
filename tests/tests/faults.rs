//! A fault of the layer is the layer's: the program runs on, and the log says so once.
#![allow(clippy::unwrap_used)]

use std::ffi::CString;
use std::fs;
use tilelens_tests::fake::driver::proc_addr::device_proc_addr;
use tilelens_tests::fake::{Chain, Options, commands};
use tilelens_tests::sandbox::Sandbox;
use tilelens_tests::script;

/// Whether the layer answers for a command itself.
fn is_hooked(name: &str) -> bool {
    let app = Chain::new(Options::newest()).start();
    let address = CString::new(name).unwrap();
    // SAFETY: a live handle and a terminated string.
    let below = unsafe { device_proc_addr(app.device, address.as_ptr()) };
    app.chain.device_address(app.device, &address).map(|f| f as usize) != below.map(|f| f as usize)
}

#[test]
fn a_fault_in_any_hook_leaves_the_program_running_and_one_line_in_the_log() {
    let mut hooked = 0;
    let device_commands = commands::all().values().filter(|c| c.level == commands::Level::Device).map(|c| c.name);
    let creation = ["vkCreateInstance", "vkCreateDevice"];
    // No frame of the script is selected: hooks record all the same, and the analysis, which is not at stake, costs no time.
    let no_frame = "1000..1000";
    for name in device_commands.chain(creation) {
        let done = Sandbox::new().case(name).set("frames", no_frame).set("inject_panic", name).run(|inside| {
            // Twice: the setting is read while the first instance is created.
            for _ in 0..2 {
                let chain = Chain::new(Options::newest());
                script::everything(&chain);
                chain.driver.assert_neutral();
            }
            if creation.contains(&inside.case()) || is_hooked(inside.case()) {
                fs::write(inside.folder.0.join("hooked"), "").unwrap();
            }
        });
        let log = done.folder.log();
        let errors: Vec<&str> = log.lines().filter(|l| l.contains("error:")).collect();
        if done.folder.0.join("hooked").exists() {
            assert_eq!(errors.len(), 1, "{name}: {log}");
            assert!(errors[0].contains("fault in vk"), "{name}: {log}");
            hooked += 1;
        } else {
            assert!(errors.is_empty(), "{name}: {log}");
        }
    }
    assert!(hooked >= 100, "only {hooked} hooks were tried");
}
