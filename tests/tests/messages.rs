//! The findings as messages to the program's own messengers of VK_EXT_debug_utils.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use ash::vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type, Handle};
use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use tilelens_tests::fake::{App, Options};
use tilelens_tests::sandbox::{Done, Sandbox};
use tilelens_tests::script::{Scene, attachment};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();

/// What a callback was given.
#[derive(Debug)]
struct Told {
    severity: Severity,
    types: Type,
    name: String,
    number: i32,
    text: String,
    object: (vk::ObjectType, u64),
    thread: ThreadId,
}

type Heard = Mutex<Vec<Told>>;

/// Asks for the call to be skipped, which nobody may do.
unsafe extern "system" fn hear(
    severity: Severity,
    types: Type,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    heard: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: data as the specification describes them; the pointer is that of `messenger`.
    unsafe {
        let data = &*data;
        let text = |p| CStr::from_ptr(p).to_str().unwrap().to_owned();
        assert_eq!(data.object_count, 1);
        let object = &*data.p_objects;
        (*heard.cast::<Heard>()).lock().unwrap().push(Told {
            severity,
            types,
            name: text(data.p_message_id_name),
            number: data.message_id_number,
            text: text(data.p_message),
            object: (object.object_type, object.object_handle),
            thread: thread::current().id(),
        });
    }
    vk::TRUE
}

fn messenger(app: &App, severity: Severity, types: Type, heard: &Heard) -> vk::DebugUtilsMessengerEXT {
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(severity)
        .message_type(types)
        .pfn_user_callback(Some(hear))
        .user_data(ptr::from_ref(heard).cast_mut().cast());
    let mut messenger = vk::DebugUtilsMessengerEXT::null();
    // SAFETY: valid arguments.
    unsafe { app.vkCreateDebugUtilsMessengerEXT(app.instance, &info, NO, &mut messenger).result().unwrap() };
    messenger
}

/// A frame whose image never leaves the chip and yet has memory of its own, which the rules speak of.
fn wasteful() -> Scene {
    let scene = Scene::start(Options::newest());
    let image = scene.image(vk::Format::R8G8B8A8_UNORM, 256, 64, 1);
    let ops = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::DONT_CARE);
    let pass = scene.render_pass(&[attachment(&image, ops.0, ops.1)]);
    let framebuffer = scene.framebuffer(pass, &[&image]);
    scene.record(|_, _| scene.pass(pass, framebuffer, image.extent, 1));
    scene.submit(scene.buffer);
    scene
}

fn every() -> (Severity, Type) {
    (
        Severity::VERBOSE | Severity::INFO | Severity::WARNING | Severity::ERROR,
        Type::GENERAL | Type::VALIDATION | Type::PERFORMANCE,
    )
}

fn sandbox(sync: &str) -> Sandbox {
    Sandbox::new().set("sync", sync).set("gpu", "mali-g76").set("frame_submits", "1")
}

/// Prints what a messenger hears that wants everything.
#[allow(clippy::print_stdout, reason = "the test reads what the program in the sandbox prints")]
fn print_all() {
    let all = Heard::default();
    let (severity, types) = every();
    let scene = wasteful();
    messenger(&scene.app, severity, types, &all);
    let device = scene.app.device.as_raw();
    assert!(all.lock().unwrap().is_empty(), "what is waste is known at the end only");
    scene.stop();
    for told in all.into_inner().unwrap() {
        assert_eq!(told.object, (vk::ObjectType::DEVICE, device));
        assert_eq!(told.thread, thread::current().id(), "in the program's own call");
        println!("\n{}|{}|{:?}|{:?}|{}", told.name, told.number, told.severity, told.types, told.text);
    }
}

/// What was heard is what the report says, in its order.
#[track_caller]
fn assert_is_the_report(done: &Done) {
    let findings = done.folder.report().findings;
    assert!(findings.iter().any(|f| f.code == "TL101"), "{findings:?}");
    let expected: Vec<String> = findings
        .iter()
        .map(|f| {
            let kind = match f.level.as_str() {
                "hazard" => "WARNING|VALIDATION",
                "warn" => "WARNING|PERFORMANCE",
                "info" => "INFO|PERFORMANCE",
                _ => "VERBOSE|PERFORMANCE",
            };
            let number: i32 = f.code.trim_start_matches("TL").parse().unwrap();
            format!("Tilelens-{}-{}|{number}|{kind}|{}", f.code, f.name, f.name)
        })
        .collect();
    let told: Vec<&str> = done.outcome.stdout.lines().filter(|line| line.starts_with("Tilelens-")).collect();
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (told, expected) in told.iter().zip(&expected) {
        assert!(told.starts_with(expected.as_str()), "{told}\n{expected}");
    }
}

#[test]
fn each_finding_is_one_message_in_vkdestroydevice_on_the_thread_that_calls_it() {
    assert_is_the_report(&sandbox("1").run(|_| print_all()));
}

#[test]
fn findings_of_the_analysis_thread_are_said_on_the_thread_of_the_program() {
    assert_is_the_report(&sandbox("0").run(|_| print_all()));
}

#[test]
fn a_messenger_hears_what_its_masks_ask_for_and_nothing_after_its_destruction() {
    sandbox("1").run(|_| {
        let scene = wasteful();
        let (severity, types) = every();
        let [all, errors, general, gone, second] = [const { Heard::new(Vec::new()) }; 5];
        messenger(&scene.app, severity, types, &all);
        messenger(&scene.app, Severity::ERROR, types, &errors);
        messenger(&scene.app, severity, Type::GENERAL, &general);
        let destroyed = messenger(&scene.app, severity, types, &gone);
        messenger(&scene.app, severity, Type::PERFORMANCE, &second);
        // SAFETY: a live messenger, not used afterwards.
        unsafe { scene.app.vkDestroyDebugUtilsMessengerEXT(scene.app.instance, destroyed, NO) };
        scene.stop();
        let count = |heard: &Heard| heard.lock().unwrap().len();
        assert!(count(&all) > 0);
        assert_eq!([count(&errors), count(&general), count(&gone)], [0, 0, 0]);
        let performance = all.lock().unwrap().iter().filter(|t| t.types == Type::PERFORMANCE).count();
        assert_eq!(count(&second), performance);
    });
}

#[test]
fn a_messenger_whose_creation_failed_is_never_called() {
    sandbox("1").run(|_| {
        let scene = wasteful();
        let heard = Heard::default();
        scene.app.driver().inject("vkCreateDebugUtilsMessengerEXT", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        let (severity, types) = every();
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(severity)
            .message_type(types)
            .pfn_user_callback(Some(hear))
            .user_data(ptr::from_ref(&heard).cast_mut().cast());
        let mut out = vk::DebugUtilsMessengerEXT::null();
        // SAFETY: valid arguments.
        let result = unsafe { scene.app.vkCreateDebugUtilsMessengerEXT(scene.app.instance, &info, NO, &mut out) };
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        scene.app.stop();
        assert!(heard.into_inner().unwrap().is_empty());
    });
}
