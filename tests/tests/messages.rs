//! The findings, and what is wrong with settings or with the layer, as messages to the program's own messengers of VK_EXT_debug_utils.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use ash::vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type, Handle};
use std::ffi::{CStr, c_void};
use std::ptr;
use std::thread;
use tilelens_tests::fake::{App, Chain, Options};
use tilelens_tests::messenger::{About, Heard, Told, every_severity, every_type};
use tilelens_tests::need;
use tilelens_tests::real::sample;
use tilelens_tests::sandbox::{Done, Folder, Sandbox};
use tilelens_tests::script::{Image, Scene, attachment};

const NO: *const vk::AllocationCallbacks<'static> = ptr::null();

fn create(app: &App, info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> vk::DebugUtilsMessengerEXT {
    let mut messenger = vk::DebugUtilsMessengerEXT::null();
    // SAFETY: valid arguments.
    unsafe { app.vkCreateDebugUtilsMessengerEXT(app.instance, info, NO, &mut messenger).result().unwrap() };
    messenger
}

/// Gives an object a debug name.
fn name<T: Handle>(app: &App, object: T, name: &CStr) {
    let info = vk::DebugUtilsObjectNameInfoEXT {
        object_type: T::TYPE,
        object_handle: object.as_raw(),
        p_object_name: name.as_ptr(),
        ..Default::default()
    };
    // SAFETY: valid arguments.
    unsafe { app.vkSetDebugUtilsObjectNameEXT(app.device, &info).result().unwrap() };
}

/// A frame whose image never leaves the chip and yet has memory of its own, which the rules speak of. The pass is labelled `frame`, `shadow`.
fn waste(scene: &Scene) -> Image {
    let image = scene.image(vk::Format::R8G8B8A8_UNORM, 256, 64, 1);
    let ops = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::DONT_CARE);
    let pass = scene.render_pass(&[attachment(&image, ops.0, ops.1)]);
    let framebuffer = scene.framebuffer(pass, &[&image]);
    scene.record(|app, buffer| {
        let label = |name| vk::DebugUtilsLabelEXT::default().label_name(name);
        // SAFETY: a recording command buffer and valid structs.
        unsafe {
            app.vkCmdBeginDebugUtilsLabelEXT(buffer, &label(c"frame"));
            app.vkCmdBeginDebugUtilsLabelEXT(buffer, &label(c"shadow"));
            scene.pass(pass, framebuffer, image.extent, 1);
            app.vkCmdEndDebugUtilsLabelEXT(buffer);
            app.vkCmdEndDebugUtilsLabelEXT(buffer);
        }
    });
    scene.submit(scene.buffer);
    image
}

fn wasteful() -> Scene {
    let scene = Scene::start(Options::newest());
    waste(&scene);
    scene
}

fn sandbox(sync: &str) -> Sandbox {
    Sandbox::new().set("sync", sync).set("gpu", "mali-g76").set("frame_submits", "1")
}

/// Prints what a messenger hears that wants everything.
#[allow(clippy::print_stdout, reason = "the test reads what the program in the sandbox prints")]
fn print_all() {
    let all = Heard::default();
    let scene = wasteful();
    create(&scene.app, &all.info());
    let device = scene.app.device.as_raw();
    assert_eq!(all.count(), 0, "what is waste is known at the end only");
    scene.stop();
    for told in all.take() {
        assert_eq!(told.objects.last().unwrap(), &About { ty: vk::ObjectType::DEVICE, handle: device, name: None });
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
        let (severity, types) = (every_severity(), every_type());
        let [all, errors, general, gone, second] = std::array::from_fn(|_| Heard::default());
        create(&scene.app, &all.info());
        create(&scene.app, &errors.info_of(Severity::ERROR, types));
        create(&scene.app, &general.info_of(severity, Type::GENERAL));
        let destroyed = create(&scene.app, &gone.info());
        create(&scene.app, &second.info_of(severity, Type::PERFORMANCE));
        // SAFETY: a live messenger, not used afterwards.
        unsafe { scene.app.vkDestroyDebugUtilsMessengerEXT(scene.app.instance, destroyed, NO) };
        scene.stop();
        assert!(all.count() > 0);
        assert_eq!([errors.count(), general.count(), gone.count()], [0, 0, 0]);
        let performance = all.take().iter().filter(|t| t.types == Type::PERFORMANCE).count();
        assert_eq!(second.count(), performance);
    });
}

#[test]
fn a_messenger_whose_creation_failed_is_never_called() {
    sandbox("1").run(|_| {
        let scene = wasteful();
        let heard = Heard::default();
        scene.app.driver().inject("vkCreateDebugUtilsMessengerEXT", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        let mut out = vk::DebugUtilsMessengerEXT::null();
        let info = heard.info();
        // SAFETY: valid arguments.
        let result = unsafe { scene.app.vkCreateDebugUtilsMessengerEXT(scene.app.instance, &info, NO, &mut out) };
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        scene.app.stop();
        assert_eq!(heard.count(), 0);
    });
}

/// The message about a rule, of all that were told.
#[track_caller]
fn about(told: &[Told], number: i32) -> &Told {
    told.iter().find(|told| told.number == number).unwrap_or_else(|| panic!("no TL{number:03}: {told:?}"))
}

#[test]
fn an_image_that_still_lives_is_named_with_its_handle_before_the_device() {
    sandbox("1").run(|_| {
        let heard = Heard::default();
        let scene = Scene::start(Options::newest());
        let image = waste(&scene);
        name(&scene.app, image.image, c"shadow map");
        name(&scene.app, scene.app.device, c"the GPU");
        create(&scene.app, &heard.info());
        let device = scene.app.device;
        scene.stop();
        let named = |ty, handle, name: &str| About { ty, handle, name: Some(name.into()) };
        let expected = [
            named(vk::ObjectType::IMAGE, image.image.as_raw(), "shadow map"),
            named(vk::ObjectType::DEVICE, device.as_raw(), "the GPU"),
        ];
        assert_eq!(about(&heard.take(), 101).objects, expected);
    });
}

#[test]
fn an_image_that_is_destroyed_is_never_handed_out_even_if_another_has_its_handle_now() {
    sandbox("1").run(|_| {
        let heard = Heard::default();
        let scene = Scene::start(Options { reuse_handles: true, ..Options::newest() });
        let image = waste(&scene);
        create(&scene.app, &heard.info());
        // SAFETY: live handles, not used afterwards.
        unsafe {
            scene.app.vkDestroyImageView(scene.app.device, image.view, NO);
            scene.app.vkDestroyImage(scene.app.device, image.image, NO);
        }
        let other = scene.image(vk::Format::R8G8B8A8_UNORM, 16, 16, 1);
        assert_eq!(other.image, image.image, "the driver gives out the handle again");
        let device = About { ty: vk::ObjectType::DEVICE, handle: scene.app.device.as_raw(), name: None };
        scene.stop();
        assert_eq!(about(&heard.take(), 101).objects, [device]);
    });
}

#[test]
fn the_label_regions_around_a_pass_come_with_what_is_said_of_it_innermost_first() {
    sandbox("1").run(|_| {
        let heard = Heard::default();
        let scene = wasteful();
        create(&scene.app, &heard.info());
        scene.stop();
        let told = heard.take();
        let of_pass = told.iter().find(|told| told.text.contains("frame/shadow")).unwrap_or_else(|| panic!("{told:?}"));
        assert_eq!(of_pass.labels, ["shadow", "frame"]);
        let general = told.iter().filter(|told| told.labels != ["shadow", "frame"]);
        assert!(general.into_iter().all(|told| told.labels.is_empty()), "{told:?}");
    });
}

/// Creates an instance with `chained` in its chain, and runs `with`.
fn start(chained: &[&Heard]) -> App {
    let mut infos: Vec<_> = chained.iter().map(|heard| heard.info()).collect();
    let info = infos.iter_mut().fold(vk::InstanceCreateInfo::default(), |info, next| info.push_next(next));
    Chain::new(Options::newest()).create_instance(&info).unwrap()
}

fn open(app: &App) -> App {
    app.open_device(&vk::DeviceCreateInfo::default()).unwrap()
}

fn destroy_device(app: &App) {
    // SAFETY: a live device, not used afterwards.
    unsafe { app.vkDestroyDevice(app.device, NO) };
}

fn destroy_instance(app: &App) {
    // SAFETY: a live instance, not used afterwards.
    unsafe { app.vkDestroyInstance(app.instance, NO) };
}

/// That each was told one thing, which contains `words`, about an object of this type.
#[track_caller]
fn assert_told(heard: &Heard, words: &[&str], ty: vk::ObjectType, handle: u64) {
    let told = heard.take();
    assert_eq!(told.len(), words.len(), "{told:?}");
    for (told, words) in told.iter().zip(words) {
        assert!(told.text.contains(words), "{told:?}");
        assert_eq!((told.severity, told.types), (Severity::WARNING, Type::GENERAL));
        assert_eq!((told.name.as_str(), told.number), ("Tilelens-settings", 10_001));
        assert_eq!(told.objects, [About { ty, handle, name: None }]);
        assert_eq!(told.thread, thread::current().id());
    }
}

const MISSPELT: &str = "VK_TILELENS_TBDR_LOG_LEVELS: setting `log_levels`: no such setting; did you mean `log_level`?";
const UNKNOWN_GPU: &str = "unknown GPU `riva-tnt2`";

/// With a variable that sets nothing, and a GPU that there is none of, which shows when there is a device.
fn misspelt() -> Sandbox {
    Sandbox::new().set("sync", "1").set("log_levels", "warn").set("gpu", "riva-tnt2")
}

#[test]
fn what_is_wrong_with_settings_is_told_in_vkcreateinstance_to_the_messenger_chained_to_it() {
    misspelt().run(|_| {
        let (heard, other) = (Heard::default(), Heard::default());
        let app = start(&[&heard, &other]);
        for heard in [&heard, &other] {
            assert_told(heard, &[MISSPELT], vk::ObjectType::INSTANCE, app.instance.as_raw());
        }
        destroy_instance(&app);
        assert_eq!([heard.count(), other.count()], [0, 0], "once");
    });
}

#[test]
fn what_came_up_later_is_told_in_vkdestroyinstance_to_the_messenger_chained_to_vkcreateinstance() {
    misspelt().run(|_| {
        let heard = Heard::default();
        let app = start(&[&heard]);
        heard.take();
        let with_device = open(&app);
        destroy_device(&with_device);
        assert_eq!(heard.count(), 0, "it lives in the two calls alone");
        destroy_instance(&app);
        assert_told(&heard, &[UNKNOWN_GPU], vk::ObjectType::INSTANCE, app.instance.as_raw());
    });
}

#[test]
fn a_messenger_that_is_created_later_hears_it_in_the_next_vkcreatedevice_or_vkdestroydevice_once() {
    misspelt().run(|_| {
        let app = start(&[]);
        let [first, second, deaf] = std::array::from_fn(|_| Heard::default());
        create(&app, &first.info());
        create(&app, &deaf.info_of(every_severity(), Type::PERFORMANCE | Type::VALIDATION));
        assert_eq!(first.count(), 0);
        let one = open(&app);
        assert_told(&first, &[MISSPELT, UNKNOWN_GPU], vk::ObjectType::DEVICE, one.device.as_raw());
        let two = open(&app);
        assert_eq!(first.count(), 0, "the second device brings nothing new");
        create(&app, &second.info());
        destroy_device(&one);
        assert_told(&second, &[MISSPELT, UNKNOWN_GPU], vk::ObjectType::DEVICE, one.device.as_raw());
        destroy_device(&two);
        destroy_instance(&app);
        assert_eq!([first.count(), second.count(), deaf.count()], [0, 0, 0]);
    });
}

#[test]
fn the_same_messenger_chained_and_created_hears_everything_once() {
    misspelt().run(|_| {
        let heard = Heard::default();
        let app = start(&[&heard]);
        create(&app, &heard.info());
        assert_told(&heard, &[MISSPELT], vk::ObjectType::INSTANCE, app.instance.as_raw());
        let with_device = open(&app);
        assert_told(&heard, &[UNKNOWN_GPU], vk::ObjectType::DEVICE, with_device.device.as_raw());
        destroy_device(&with_device);
        destroy_instance(&app);
        assert_eq!(heard.count(), 0);
    });
}

#[test]
fn with_settings_that_are_well_nobody_hears_of_them() {
    Sandbox::new().set("sync", "1").run(|_| {
        let (chained, created) = (Heard::default(), Heard::default());
        let app = start(&[&chained]);
        create(&app, &created.info());
        let with_device = open(&app);
        destroy_device(&with_device);
        destroy_instance(&app);
        assert_eq!([chained.count(), created.count()], [0, 0]);
    });
}

#[test]
fn a_fault_of_the_layer_is_told_instead_of_findings_and_the_program_runs_on() {
    sandbox("1").set("inject_panic", "vkCmdDraw").run(|_| {
        let (chained, created) = (Heard::default(), Heard::default());
        let app = start(&[&chained]);
        create(&app, &created.info());
        let scene = Scene::new(open(&app));
        waste(&scene);
        scene.stop();
        for heard in [&chained, &created] {
            let told = heard.take();
            assert_eq!(told.len(), 1, "{told:?}");
            assert_eq!(
                (told[0].severity, told[0].types),
                (Severity::WARNING, Type::GENERAL),
                "no error of the program"
            );
            assert_eq!((told[0].name.as_str(), told[0].number), ("Tilelens-fault", 10_002));
            assert!(told[0].text.starts_with("fault in vkCmdDraw: injected"), "{told:?}");
        }
    });
}

/// What a callback calls when it is told something.
struct Caller {
    app: *const App,
    calls: std::cell::Cell<u32>,
}

/// A callback that calls what the specification forbids it to call, and asks for the call to be skipped.
unsafe extern "system" fn call_back(
    _: Severity,
    _: Type,
    _: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    caller: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the pointer is that of the test, whose application lives and is on this very thread.
    unsafe {
        let caller = &*caller.cast::<Caller>();
        let app = &*caller.app;
        if caller.calls.get() == 0 {
            let heard = Heard::default();
            let messenger = create(app, &heard.info());
            app.vkDestroyDebugUtilsMessengerEXT(app.instance, messenger, NO);
            let _ = app.vkEnumerateDeviceExtensionProperties(app.physical, ptr::null(), &mut 0, ptr::null_mut());
        }
        caller.calls.set(caller.calls.get() + 1);
    }
    vk::TRUE
}

#[test]
fn a_callback_that_calls_vulkan_and_asks_for_the_call_to_be_skipped_does_neither_block_nor_skip_it() {
    sandbox("1").set("log_levels", "warn").within(20).run(|_| {
        let app = start(&[]);
        let scene = Scene::new(open(&app));
        waste(&scene);
        let caller = Caller { app: &raw const scene.app, calls: std::cell::Cell::new(0) };
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(every_severity())
            .message_type(every_type())
            .pfn_user_callback(Some(call_back))
            .user_data(ptr::from_ref(&caller).cast_mut().cast());
        create(&app, &info);
        let other = open(&app);
        assert_eq!(caller.calls.get(), 1, "in vkCreateDevice");
        assert_ne!(other.device, vk::Device::null());
        destroy_device(&other);
        destroy_device(&scene.app);
        assert!(caller.calls.get() > 1, "in vkDestroyDevice");
        destroy_instance(&app);
        let sent = |name| app.driver().received().iter().filter(|call| call.name == name).count();
        assert_eq!([sent("vkDestroyDevice"), sent("vkDestroyInstance")], [2, 1]);
        app.driver().assert_neutral();
    });
}

/// A callback that fails, as a program's own assertion does.
unsafe extern "system" fn fail(
    _: Severity,
    _: Type,
    _: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    panic!("the program has heard enough");
}

#[test]
fn a_callback_that_fails_ends_the_program_as_it_would_without_the_layer() {
    let done = sandbox("1").attempt(|_| {
        let scene = wasteful();
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(every_severity())
            .message_type(every_type())
            .pfn_user_callback(Some(fail));
        create(&scene.app, &info);
        scene.stop();
    });
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&done.outcome.status), Some(libc::SIGABRT));
    assert!(done.outcome.stderr.contains("the program has heard enough"), "{}", done.outcome.text());
    assert!(!done.folder.log().contains("fault in"), "no fault of the layer: {}", done.folder.log());
    assert_eq!(done.folder.reports().len(), 1, "the report was written before");
}

/// The messages of this layer among the lines that a sample prints with `--messages`.
fn of_the_layer(printed: &str) -> String {
    let mut ours = false;
    let keep = |line: &&str| {
        if !line.starts_with(' ') {
            ours = line.starts_with("message: ") && line.contains(" Tilelens-");
        }
        ours
    };
    printed.lines().filter(keep).map(|line| format!("{line}\n")).collect()
}

#[test]
fn under_the_real_loader_a_program_hears_what_the_book_shows() {
    let folder = Folder::new();
    let settings =
        [("log_levels", "warn"), ("gpu", "mali-g76"), ("frame_submits", "1"), ("sync", "1"), ("log_level", "warn")];
    let command = need!(sample::layered("split_ui", &["--variant", "wrong", "--messages"], &folder, &settings));
    let outcome = sample::run(command, &folder);
    assert!(outcome.status.success(), "{}", outcome.text());
    let page = include_str!("../../docs/messages.md");
    let shown = page.split("tests/tests/messages.rs compares. -->\n```\n").nth(1).unwrap();
    assert_eq!(of_the_layer(&outcome.stdout), shown.split("```").next().unwrap());
}
