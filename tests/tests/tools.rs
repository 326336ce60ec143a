//! VK_EXT_tooling_info: a program that asks which tools are at work is told of this one, and of those below it.
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use tilelens_tests::fake::{App, Chain, Options};
use tilelens_tests::sandbox::Sandbox;

type Tool = vk::PhysicalDeviceToolProperties<'static>;

/// What the program put into a struct before it asked.
const UNTOUCHED: [c_char; vk::MAX_EXTENSION_NAME_SIZE] = [0x55; vk::MAX_EXTENSION_NAME_SIZE];

/// Asks for up to `room` tools, with the core command or that of the extension; the array has one struct more.
fn ask(app: &App, extension: bool, room: u32) -> (vk::Result, Vec<Tool>) {
    let blank = Tool { name: UNTOUCHED, p_next: ptr::dangling_mut::<c_void>(), ..Tool::default() };
    let mut tools = vec![blank; room as usize + 1];
    let mut count = room;
    let out = tools.as_mut_ptr();
    // SAFETY: valid arguments; nobody reads the chain.
    let result = unsafe {
        match extension {
            true => app.vkGetPhysicalDeviceToolPropertiesEXT(app.physical, &mut count, out),
            false => app.vkGetPhysicalDeviceToolProperties(app.physical, &mut count, out),
        }
    };
    assert!(count <= room);
    for (at, tool) in tools.iter().enumerate() {
        assert_eq!(tool.s_type, Tool::default().s_type);
        assert_eq!(tool.p_next, ptr::dangling_mut::<c_void>(), "the chain is the program's");
        assert_eq!(tool.name == UNTOUCHED, at >= count as usize, "struct {at} of {count}");
    }
    tools.truncate(count as usize);
    (result, tools)
}

fn count(app: &App, extension: bool) -> u32 {
    let mut count = 77;
    // SAFETY: valid arguments.
    let result = unsafe {
        match extension {
            true => app.vkGetPhysicalDeviceToolPropertiesEXT(app.physical, &mut count, ptr::null_mut()),
            false => app.vkGetPhysicalDeviceToolProperties(app.physical, &mut count, ptr::null_mut()),
        }
    };
    assert_eq!(result, vk::Result::SUCCESS);
    count
}

fn names(tools: &[Tool]) -> Vec<&str> {
    // SAFETY: terminated by the check in `ask` and by the specification.
    tools.iter().map(|tool| unsafe { CStr::from_ptr(tool.name.as_ptr()) }.to_str().unwrap()).collect()
}

#[test]
fn this_layer_comes_first_and_those_below_get_the_room_that_is_left() {
    Sandbox::new().run(|_| {
        let below = ["first below", "second below"];
        let app = Chain::new(Options { tools: below.to_vec(), ..Options::default() }).start();
        let all = ["Tilelens", below[0], below[1]];
        for extension in [false, true] {
            assert_eq!(count(&app, extension), 3);
            for room in 0..5u32 {
                let (result, tools) = ask(&app, extension, room);
                let told = room.min(3) as usize;
                assert_eq!(names(&tools), all[..told], "room for {room}");
                assert_eq!(result, if told < 3 { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS });
            }
        }
        app.stop();
    });
}

#[test]
fn it_says_its_version_its_layer_and_that_it_profiles_and_traces() {
    Sandbox::new().run(|_| {
        let app = Chain::new(Options::default()).start();
        let (result, tools) = ask(&app, false, 1);
        assert_eq!((result, tools.len()), (vk::Result::SUCCESS, 1));
        let text = |text: &[c_char]| {
            // SAFETY: terminated, by specification.
            unsafe { CStr::from_ptr(text.as_ptr()) }.to_str().unwrap().to_owned()
        };
        assert_eq!(text(&tools[0].version), tilelens_manifest::VERSION);
        assert_eq!(text(&tools[0].layer), tilelens_manifest::LAYER_NAME);
        assert_eq!(text(&tools[0].description), tilelens_manifest::DESCRIPTION);
        assert_eq!(tools[0].purposes, vk::ToolPurposeFlags::PROFILING | vk::ToolPurposeFlags::TRACING);
        app.stop();
    });
}

#[test]
fn where_the_driver_knows_no_tools_the_extensions_command_tells_of_this_one_alone() {
    let names_of = ["vkGetPhysicalDeviceToolProperties", "vkGetPhysicalDeviceToolPropertiesEXT"];
    Sandbox::new().run(|_| {
        let missing = names_of.map(String::from).to_vec();
        let app = Chain::new(Options { tools: vec!["hidden"], missing, ..Options::default() }).start();
        assert!(!app.has(names_of[0]) && app.has(names_of[1]));
        assert_eq!(count(&app, true), 1);
        for (room, expected) in [(0, vk::Result::INCOMPLETE), (1, vk::Result::SUCCESS), (9, vk::Result::SUCCESS)] {
            let (result, tools) = ask(&app, true, room);
            assert_eq!((result, tools.len() as u32), (expected, room.min(1)));
        }
        app.stop();
    });
}

#[test]
fn a_driver_that_has_one_of_the_two_commands_is_asked_by_the_one_it_has() {
    Sandbox::new().run(|_| {
        let missing = vec!["vkGetPhysicalDeviceToolProperties".to_owned()];
        let app = Chain::new(Options { tools: vec!["below"], missing, ..Options::default() }).start();
        assert_eq!(names(&ask(&app, true, 2).1), ["Tilelens", "below"]);
        app.stop();
    });
}

#[test]
fn an_error_of_the_driver_is_passed_on() {
    Sandbox::new().run(|_| {
        let chain = Chain::new(Options::default());
        let app = chain.start();
        chain.driver.inject("vkGetPhysicalDeviceToolProperties", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        let mut room = 4;
        let mut tools = [Tool::default(); 4];
        // SAFETY: valid arguments.
        let result = unsafe { app.vkGetPhysicalDeviceToolProperties(app.physical, &mut room, tools.as_mut_ptr()) };
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        app.stop();
    });
}

#[test]
fn a_device_is_made_without_the_extension_where_only_the_layer_knows_it() {
    Sandbox::new().run(|_| {
        let wanted = [c"VK_KHR_swapchain", c"VK_EXT_tooling_info", c"VK_EXT_future_thing"].map(CStr::as_ptr);
        for driver_has_it in [false, true] {
            let mut offered = vec!["VK_KHR_swapchain", "VK_EXT_future_thing"];
            let mut expected = offered.clone();
            if driver_has_it {
                offered.push("VK_EXT_tooling_info");
                expected.insert(1, "VK_EXT_tooling_info");
            }
            let chain = Chain::new(Options { device_extensions: offered, ..Options::default() });
            let first = chain.start();
            let info = vk::DeviceCreateInfo::default().enabled_extension_names(&wanted);
            let app = first.open_device(&info).unwrap();
            assert_eq!(chain.driver.enabled_extensions(), expected);
            // SAFETY: a live device.
            unsafe { app.vkDestroyDevice(app.device, ptr::null()) };
            first.stop();
        }
    });
}
