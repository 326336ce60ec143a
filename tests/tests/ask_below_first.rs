//! A proc address is the layer's only if the layer below has one: the application can ask exactly what it could without us.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use tilelens_tests::fake::driver::proc_addr::{device_proc_addr, instance_proc_addr, physical_proc_addr};
use tilelens_tests::fake::options::API_VERSIONS;
use tilelens_tests::fake::{App, Chain, Layer, Options, commands};
use tilelens_tests::names;
use tilelens_tests::sandbox::Sandbox;

/// Every name of the registry and of the bench, and some that nobody has.
fn all_names() -> Vec<CString> {
    let mut all: BTreeSet<&str> = names::commands().into_iter().collect();
    all.extend(commands::all().keys());
    all.extend(["vkCmdNobodyHasThisEXT", "vk", "", "vkCmdDrawX", "glDrawArrays"]);
    all.into_iter().map(|n| CString::new(n).unwrap()).collect()
}

/// Answered by every layer whatever lies below.
fn is_global(name: &CStr) -> bool {
    let name = name.to_bytes();
    name == b"vkCreateInstance" || name.starts_with(b"vkEnumerateInstance") || name.ends_with(b"ProcAddr")
}

/// Commands of extensions that the layer itself provides: they exist whatever lies below.
fn is_provided(name: &CStr) -> bool {
    let mut commands = tilelens_manifest::DEVICE_EXTENSIONS.iter().flat_map(|e| e.entry_points);
    commands.any(|command| command.as_bytes() == name.to_bytes())
}

/// Compares the answers of the layer and of the driver below it for every name; returns how many device commands are hooked.
fn compare(app: &App) -> usize {
    let mut hooked = 0;
    for name in all_names() {
        // SAFETY: live handles and terminated strings.
        let (below, physical) =
            unsafe { (device_proc_addr(app.device, name.as_ptr()), physical_proc_addr(app.instance, name.as_ptr())) };
        let above = app.chain.device_address(app.device, &name);
        assert_eq!(above.is_some(), below.is_some(), "vkGetDeviceProcAddr {name:?}");
        hooked += usize::from(above.map(|f| f as usize) != below.map(|f| f as usize));
        if is_global(&name) {
            continue;
        }
        // SAFETY: as above.
        let below = unsafe { instance_proc_addr(app.instance, name.as_ptr()) };
        let above = app.chain.instance_address(app.instance, &name);
        let provided = is_provided(&name);
        assert_eq!(above.is_some(), below.is_some() || provided, "vkGetInstanceProcAddr {name:?}");
        if let Some(function) = Layer::get().get_physical_device_proc_addr {
            // SAFETY: as above.
            let above = unsafe { function(app.instance, name.as_ptr()) };
            let known = app.chain.driver.options.physical_device_proc_addr && physical.is_some();
            assert_eq!(above.is_some(), known || provided, "vk_layerGetPhysicalDeviceProcAddr {name:?}");
        }
    }
    hooked
}

#[test]
fn a_command_exists_if_and_only_if_the_driver_has_it() {
    Sandbox::new().run(|_| {
        for api in API_VERSIONS {
            for extensions in [false, true] {
                for unknown_commands in [false, true] {
                    let options = Options { api, extensions, unknown_commands, ..Options::default() };
                    let app = Chain::new(options).start();
                    let hooked = compare(&app);
                    app.stop();
                    let least = if extensions && api >= vk::API_VERSION_1_3 { 100 } else { 40 };
                    assert!(hooked >= least, "only {hooked} device commands are hooked");
                }
            }
        }
    });
}

#[test]
fn a_driver_that_lacks_any_single_command_or_every_other_one_is_believed() {
    Sandbox::new().run(|_| {
        let known: Vec<String> = commands::all().keys().map(ToString::to_string).collect();
        // Without these there is no device to ask.
        let needed = ["vkCreateDevice", "vkEnumeratePhysicalDevices", "vkDestroyDevice", "vkDestroyInstance"];
        let optional: Vec<String> = known.into_iter().filter(|n| !needed.contains(&n.as_str())).collect();
        for parity in 0..2 {
            let missing =
                optional.iter().enumerate().filter(|(i, _)| i % 2 == parity).map(|(_, n)| n.clone()).collect();
            let app = Chain::new(Options { missing, ..Options::default() }).start();
            compare(&app);
            app.stop();
        }
        for name in optional {
            let chain = Chain::new(Options { missing: vec![name.clone()], ..Options::default() });
            let app = chain.start();
            let name = CString::new(name).unwrap();
            assert!(chain.device_address(app.device, &name).is_none(), "{name:?}");
            app.stop();
        }
    });
}

#[test]
fn without_an_instance_only_global_commands_exist_and_what_layers_above_ask_for() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        for name in all_names() {
            let address = chain.instance_address(vk::Instance::null(), &name);
            // MangoHud and vkBasalt ask for it before they have an instance; programs never get to us with this question.
            let asked_above = name.as_c_str() == c"vkCreateDevice";
            if !is_global(&name) && !asked_above {
                assert!(address.is_none(), "{name:?}");
            }
        }
        for name in [c"vkCreateInstance", c"vkGetInstanceProcAddr", c"vkCreateDevice"] {
            assert!(chain.instance_address(vk::Instance::null(), name).is_some(), "{name:?}");
        }
    });
}

#[test]
fn a_command_that_is_not_hooked_has_the_drivers_own_address() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let app = chain.start();
        for name in
            [c"vkCmdFutureThingEXT", c"vkCmdSetDepthBias", c"vkCmdPushConstants", c"vkMapMemory", c"vkCreateSampler"]
        {
            // SAFETY: a live handle and a terminated string.
            let below = unsafe { device_proc_addr(app.device, name.as_ptr()) }.unwrap();
            assert_eq!(chain.device_address(app.device, name).unwrap() as usize, below as usize, "{name:?}");
        }
    });
}

#[test]
fn every_alias_of_a_hooked_command_is_hooked() {
    Sandbox::new().run(|_| {
        let app = Chain::new(Options::newest()).start();
        let hooked = |name: &CStr| {
            // SAFETY: a live handle and a terminated string.
            let below = unsafe { device_proc_addr(app.device, name.as_ptr()) };
            app.chain.device_address(app.device, name).map(|f| f as usize) != below.map(|f| f as usize)
        };
        for name in commands::all().keys() {
            let Some(core) = ["KHR", "EXT", "AMD"].iter().find_map(|suffix| name.strip_suffix(suffix)) else {
                continue;
            };
            if commands::all().contains_key(core) {
                let (core, name) = (CString::new(core).unwrap(), CString::new(*name).unwrap());
                assert_eq!(hooked(&core), hooked(&name), "{core:?} and {name:?}");
            }
        }
    });
}
