//! vkNegotiateLoaderLayerInterfaceVersion and the enumerate functions, as loaders call them.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ffi::{CStr, c_char};
use std::ptr;
use tilelens_tests::fake::layer::{stale, stale_device};
use tilelens_tests::fake::link::{GetDeviceProcAddr, GetInstanceProcAddr, Negotiate, NegotiateFn};
use tilelens_tests::fake::{Chain, Layer, Options};
use tilelens_tests::sandbox::Sandbox;

fn negotiate(answer: *mut Negotiate) -> vk::Result {
    // SAFETY: the type is the loader interface's; the struct is valid or null.
    unsafe { Layer::get().export::<NegotiateFn>("vkNegotiateLoaderLayerInterfaceVersion")(answer) }
}

#[test]
fn a_loader_of_any_later_interface_gets_version_2_and_every_field() {
    Sandbox::new().run(|_| {
        for version in [2, 3, u32::MAX] {
            let mut answer = Negotiate::new(version);
            assert_eq!(negotiate(&mut answer), vk::Result::SUCCESS);
            assert_eq!(answer.version, 2);
            // The loader's variables hold the previous layer's answers: whatever is left stays in force.
            let gipa = answer.get_instance_proc_addr.unwrap();
            let gdpa = answer.get_device_proc_addr.unwrap();
            let gpdpa = answer.get_physical_device_proc_addr;
            assert!(!ptr::fn_addr_eq(gipa, stale as GetInstanceProcAddr));
            assert!(!ptr::fn_addr_eq(gdpa, stale_device as GetDeviceProcAddr));
            assert!(gpdpa.is_none_or(|f| !ptr::fn_addr_eq(f, stale as GetInstanceProcAddr)));
        }
    });
}

#[test]
fn a_loader_of_an_older_interface_or_with_a_foreign_struct_is_refused() {
    Sandbox::new().run(|_| {
        for version in [0, 1] {
            assert_eq!(negotiate(&mut Negotiate::new(version)), vk::Result::ERROR_INITIALIZATION_FAILED);
        }
        let mut foreign = Negotiate::new(2);
        foreign.s_type = 7;
        assert_eq!(negotiate(&mut foreign), vk::Result::ERROR_INITIALIZATION_FAILED);
        assert_eq!(negotiate(ptr::null_mut()), vk::Result::ERROR_INITIALIZATION_FAILED);
    });
}

type Layers = unsafe extern "system" fn(*mut u32, *mut vk::LayerProperties) -> vk::Result;
type DeviceLayers = unsafe extern "system" fn(vk::PhysicalDevice, *mut u32, *mut vk::LayerProperties) -> vk::Result;
type Extensions = unsafe extern "system" fn(*const c_char, *mut u32, *mut vk::ExtensionProperties) -> vk::Result;
type DeviceExtensions =
    unsafe extern "system" fn(vk::PhysicalDevice, *const c_char, *mut u32, *mut vk::ExtensionProperties) -> vk::Result;

/// The raw bytes of a struct, padding of its arrays included.
fn bytes<T>(value: &T) -> &[u8] {
    // SAFETY: the structs compared consist of integers and arrays of them, without padding.
    unsafe { std::slice::from_raw_parts(ptr::from_ref(value).cast(), size_of::<T>()) }
}

#[test]
fn the_instance_and_the_device_list_name_this_layer_byte_for_byte_alike() {
    Sandbox::new().run(|_| {
        let layer = Layer::get();
        // SAFETY: exported under these names with these types.
        unsafe {
            let instance = layer.export::<Layers>("vkEnumerateInstanceLayerProperties");
            let device = layer.export::<DeviceLayers>("vkEnumerateDeviceLayerProperties");
            let mut count = 7;
            assert_eq!(instance(&mut count, ptr::null_mut()), vk::Result::SUCCESS);
            assert_eq!(count, 1);
            count = 0;
            let mut ours = vk::LayerProperties::default();
            assert_eq!(instance(&mut count, &mut ours), vk::Result::INCOMPLETE);
            assert_eq!(count, 0);
            count = 5;
            assert_eq!(instance(&mut count, &mut ours), vk::Result::SUCCESS);
            assert_eq!(count, 1);
            let name = CStr::from_ptr(ours.layer_name.as_ptr());
            assert_eq!(name.to_str().unwrap(), tilelens_manifest::LAYER_NAME);
            // Android passes no physical device, and compares the structs whole.
            let mut same =
                vk::LayerProperties { layer_name: [0x55; 256], description: [0x55; 256], ..Default::default() };
            count = 1;
            assert_eq!(device(vk::PhysicalDevice::null(), &mut count, &mut same), vk::Result::SUCCESS);
            assert_eq!(bytes(&ours), bytes(&same));
        }
    });
}

#[test]
fn extensions_are_listed_for_this_layer_by_name_only() {
    Sandbox::new().run(|_| {
        let layer = Layer::get();
        // SAFETY: exported under these names with these types.
        unsafe {
            let instance = layer.export::<Extensions>("vkEnumerateInstanceExtensionProperties");
            let ours = std::ffi::CString::new(tilelens_manifest::LAYER_NAME).unwrap();
            let mut count = 0;
            assert_eq!(instance(ptr::null(), &mut count, ptr::null_mut()), vk::Result::ERROR_LAYER_NOT_PRESENT);
            let other = c"VK_LAYER_KHRONOS_validation";
            assert_eq!(instance(other.as_ptr(), &mut count, ptr::null_mut()), vk::Result::ERROR_LAYER_NOT_PRESENT);
            assert_eq!(instance(ours.as_ptr(), &mut count, ptr::null_mut()), vk::Result::SUCCESS);
            assert_eq!(count as usize, tilelens_manifest::INSTANCE_EXTENSIONS.len());
            let mut list = vec![vk::ExtensionProperties::default(); count as usize];
            assert_eq!(instance(ours.as_ptr(), &mut count, list.as_mut_ptr()), vk::Result::SUCCESS);
            for (entry, extension) in list.iter().zip(tilelens_manifest::INSTANCE_EXTENSIONS) {
                assert_eq!(CStr::from_ptr(entry.extension_name.as_ptr()).to_str().unwrap(), extension.name);
                assert_eq!(entry.spec_version, extension.spec_version);
            }
            if count > 0 {
                let mut short = count - 1;
                assert_eq!(instance(ours.as_ptr(), &mut short, list.as_mut_ptr()), vk::Result::INCOMPLETE);
                assert_eq!(short, count - 1);
            }
            let device = layer.export::<DeviceExtensions>("vkEnumerateDeviceExtensionProperties");
            let nobody = vk::PhysicalDevice::null();
            assert_eq!(device(nobody, ours.as_ptr(), &mut count, ptr::null_mut()), vk::Result::SUCCESS);
            // Merge feedback needs a setting.
            assert_eq!(count as usize, tilelens_manifest::DEVICE_EXTENSIONS.len() - 1);
            let mut list = vec![vk::ExtensionProperties::default(); count as usize];
            let mut short = count - 1;
            assert_eq!(device(nobody, ours.as_ptr(), &mut short, list.as_mut_ptr()), vk::Result::INCOMPLETE);
            assert_eq!(device(nobody, ours.as_ptr(), &mut count, list.as_mut_ptr()), vk::Result::SUCCESS);
            for (entry, extension) in list.iter().zip(tilelens_manifest::DEVICE_EXTENSIONS) {
                assert_eq!(CStr::from_ptr(entry.extension_name.as_ptr()).to_str().unwrap(), extension.name);
                assert_eq!(entry.spec_version, extension.spec_version);
            }
        }
    });
}

#[test]
fn the_drivers_device_extensions_come_through_whole_and_cut() {
    Sandbox::new().run(|_| {
        let offered = ["VK_KHR_swapchain", "VK_EXT_future_thing", "VK_KHR_maintenance99"];
        let chain = Chain::new(Options { device_extensions: offered.to_vec(), ..Options::default() });
        let app = chain.start();
        let mut list = vec![vk::ExtensionProperties::default(); 8];
        for room in [8, 3, 2, 0] {
            let mut count = room;
            // SAFETY: valid arguments.
            let result = unsafe {
                app.vkEnumerateDeviceExtensionProperties(app.physical, ptr::null(), &mut count, list.as_mut_ptr())
            };
            assert_eq!(result, if room < 3 { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS });
            assert_eq!(count, room.min(3));
            for (entry, name) in list.iter().zip(&offered[..count as usize]) {
                // SAFETY: a terminated string.
                assert_eq!(unsafe { CStr::from_ptr(entry.extension_name.as_ptr()) }.to_str().unwrap(), *name);
            }
        }
        chain.driver.assert_neutral();
    });
}
