//! VK_EXT_subpass_merge_feedback where the driver lacks it: a program that knows nothing of the layer is told what a tile-based GPU would
//! make of its subpasses, and the driver hears nothing of it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk::{self, StructureType as S};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::process::Command;
use std::ptr;
use tbdr_model::gpu::MergeStatus;
use tilelens_tests::fake::{App, Chain, Options};
use tilelens_tests::memory::ReadOnly;
use tilelens_tests::process::Outcome;
use tilelens_tests::real::sample::{self, layered};
use tilelens_tests::real::{self, Missing};
use tilelens_tests::sandbox::{Folder, Sandbox};
use tilelens_tests::script::Scene;
use tilelens_tests::script::passes::*;
use tilelens_tests::{artefacts, need, process};

const NAME: &CStr = c"VK_EXT_subpass_merge_feedback";

/// Names of a device's extensions, without a layer's name.
fn extensions(app: &App) -> Vec<String> {
    let mut count = 0;
    // SAFETY: valid arguments.
    unsafe {
        let null = ptr::null();
        let result = app.vkEnumerateDeviceExtensionProperties(app.physical, null, &mut count, ptr::null_mut());
        assert_eq!(result, vk::Result::SUCCESS);
        let mut list = vec![vk::ExtensionProperties::default(); count as usize];
        let result = app.vkEnumerateDeviceExtensionProperties(app.physical, null, &mut count, list.as_mut_ptr());
        assert_eq!((result, count as usize), (vk::Result::SUCCESS, list.len()));
        if count > 0 {
            let mut short = count - 1;
            let result = app.vkEnumerateDeviceExtensionProperties(app.physical, null, &mut short, list.as_mut_ptr());
            assert_eq!((result, short), (vk::Result::INCOMPLETE, count - 1));
        }
        list.iter().map(|e| e.extension_name_as_c_str().unwrap().to_str().unwrap().to_owned()).collect()
    }
}

/// What the feature struct says that held `before`.
fn feature(app: &App, before: vk::Bool32) -> vk::Bool32 {
    let mut merging =
        vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT { subpass_merge_feedback: before, ..Default::default() };
    let mut other = vk::PhysicalDeviceDynamicRenderingFeatures::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut merging).push_next(&mut other);
    // SAFETY: valid arguments.
    unsafe { app.vkGetPhysicalDeviceFeatures2(app.physical, &mut features) };
    assert_eq!(other.dynamic_rendering, vk::FALSE);
    merging.subpass_merge_feedback
}

fn driver(with: bool) -> Options {
    let mut offered = vec!["VK_KHR_swapchain", "VK_EXT_future_thing"];
    offered.extend(with.then(|| NAME.to_str().unwrap()));
    Options { device_extensions: offered, ..Options::default() }
}

fn start(chain: &Chain) -> App {
    let application = vk::ApplicationInfo::default().api_version(chain.driver.options.api);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    chain.create_instance(&info).unwrap()
}

#[test]
fn a_device_offers_it_once_if_the_setting_says_so_or_the_driver_has_it() {
    for setting in ["0", "1"] {
        Sandbox::new().case(setting).set("merge_feedback", setting).run(|inside| {
            for driver_has_it in [false, true] {
                let app = start(&Chain::new(driver(driver_has_it)));
                let offered = inside.case() == "1" || driver_has_it;
                let found = extensions(&app);
                let count = found.iter().filter(|name| name.as_bytes() == NAME.to_bytes()).count();
                assert_eq!(count, usize::from(offered), "{found:?}");
                assert_eq!(found.len(), 2 + usize::from(offered));
                // A driver that does not know the struct leaves what the program had in it.
                assert_eq!(feature(&app, vk::FALSE) != vk::FALSE, offered);
                let mut count = 0;
                let ours = std::ffi::CString::new(tilelens_manifest::LAYER_NAME).unwrap();
                // SAFETY: valid arguments.
                let result = unsafe {
                    app.vkEnumerateDeviceExtensionProperties(app.physical, ours.as_ptr(), &mut count, ptr::null_mut())
                };
                assert_eq!((result, count), (vk::Result::SUCCESS, 1 + u32::from(inside.case() == "1")));
            }
        });
    }
}

#[test]
fn what_the_loader_adds_of_an_implicit_layer_is_taken_back_where_the_setting_is_off() {
    // To the layer the loader's addition looks like an extension of the driver, but the driver does not know its feature.
    Sandbox::new().env(tilelens_manifest::ENABLE_VARIABLE, "1").run(|_| {
        let chain = Chain::new(Options { adds_merge_feedback: true, ..driver(false) });
        let found = extensions(&start(&chain));
        assert_eq!(found, ["VK_KHR_swapchain", "VK_EXT_future_thing"]);
        let chain = Chain::new(driver(true));
        assert_eq!(extensions(&start(&chain)).len(), 3);
    });
}

/// The structs of the extension that the driver got.
fn leaked(chain: &Chain) -> Vec<S> {
    let of_it = [
        S::PHYSICAL_DEVICE_SUBPASS_MERGE_FEEDBACK_FEATURES_EXT,
        S::RENDER_PASS_CREATION_CONTROL_EXT,
        S::RENDER_PASS_CREATION_FEEDBACK_CREATE_INFO_EXT,
        S::RENDER_PASS_SUBPASS_FEEDBACK_CREATE_INFO_EXT,
    ];
    chain.driver.chained().into_iter().filter(|s| of_it.contains(s)).collect()
}

#[test]
fn the_driver_hears_nothing_of_it_and_the_programs_memory_is_only_read() {
    Sandbox::new().set("merge_feedback", "1").set("gpu", "mali-g76").run(|_| {
        let chain = Chain::new(driver(false));
        let first = start(&chain);
        // Every struct lies in memory that cannot be written while the layer works.
        let memory = ReadOnly::new(1 << 14);
        let rendering = memory.put(vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true));
        let mut merging = vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT::default().subpass_merge_feedback(true);
        merging.p_next = rendering.cast_mut().cast();
        let merging = memory.put(merging);
        let mut before = vk::PhysicalDeviceImagelessFramebufferFeatures::default().imageless_framebuffer(true);
        before.p_next = merging.cast_mut().cast();
        let before = memory.put(before);
        let names = [memory.put(*b"VK_KHR_swapchain\0").cast(), NAME.as_ptr(), c"VK_EXT_tooling_info".as_ptr()];
        let names = memory.put(names);
        let info = vk::DeviceCreateInfo {
            p_next: before.cast(),
            enabled_extension_count: 3,
            pp_enabled_extension_names: names.cast(),
            ..vk::DeviceCreateInfo::default()
        };
        memory.seal();
        let app = first.open_device(&info).unwrap();
        assert_eq!(chain.driver.enabled_extensions(), ["VK_KHR_swapchain"]);
        let chained = chain.driver.chained();
        assert_eq!(leaked(&chain), []);
        for kept in [S::PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES, S::PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES] {
            assert!(chained.contains(&kept), "{chained:?}");
        }
        render_pass(&app, None);
        assert_eq!(leaked(&chain), []);
        assert!(chain.driver.chained().contains(&S::RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT));
        assert!(chain.driver.chained().contains(&S::SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE));
    });
}

/// Makes a render pass of two subpasses of which the second must not be merged, from memory that cannot be written, and checks the answers.
fn render_pass(app: &App, driver_says: Option<vk::SubpassMergeStatusEXT>) {
    let memory = ReadOnly::new(1 << 14);
    let mut answers = [vk::RenderPassSubpassFeedbackInfoEXT { post_merge_index: 99, ..Default::default() }; 2];
    let mut whole = vk::RenderPassCreationFeedbackInfoEXT { post_merge_subpass_count: 99 };
    let attachment = vk::AttachmentDescription2::default()
        .format(vk::Format::R8G8B8A8_UNORM)
        .samples(vk::SampleCountFlags::TYPE_1)
        .final_layout(vk::ImageLayout::GENERAL);
    let slot = memory.put(vk::AttachmentReference2::default().layout(vk::ImageLayout::GENERAL));
    let mut subpasses = [vk::SubpassDescription2::default(); 2];
    for (number, subpass) in subpasses.iter_mut().enumerate() {
        let control = vk::RenderPassCreationControlEXT::default().disallow_merging(number == 1);
        let control = memory.put(control);
        let resolve = memory.put(vk::SubpassDescriptionDepthStencilResolve {
            p_next: control.cast(),
            ..vk::SubpassDescriptionDepthStencilResolve::default()
        });
        let feedback = memory.put(vk::RenderPassSubpassFeedbackCreateInfoEXT {
            p_next: resolve.cast(),
            p_subpass_feedback: &mut answers[number],
            ..Default::default()
        });
        *subpass = vk::SubpassDescription2 {
            p_next: feedback.cast(),
            color_attachment_count: 1,
            p_color_attachments: slot,
            ..vk::SubpassDescription2::default()
        };
    }
    let map = memory.put(vk::RenderPassFragmentDensityMapCreateInfoEXT {
        fragment_density_map_attachment: vk::AttachmentReference {
            attachment: vk::ATTACHMENT_UNUSED,
            ..Default::default()
        },
        ..Default::default()
    });
    let feedback = memory.put(vk::RenderPassCreationFeedbackCreateInfoEXT {
        p_next: map.cast(),
        p_render_pass_feedback: &mut whole,
        ..Default::default()
    });
    let info = memory.put(vk::RenderPassCreateInfo2 {
        p_next: feedback.cast(),
        attachment_count: 1,
        p_attachments: memory.put(attachment),
        subpass_count: 2,
        p_subpasses: memory.put(subpasses).cast(),
        ..Default::default()
    });
    memory.seal();
    let mut pass = vk::RenderPass::null();
    // SAFETY: valid arguments.
    let result = unsafe { app.vkCreateRenderPass2(app.device, info, ptr::null(), &mut pass) };
    assert_eq!(result, vk::Result::SUCCESS);
    if driver_says.is_none() {
        assert_eq!(whole.post_merge_subpass_count, 2);
        assert_eq!(answers.map(|a| a.post_merge_index), [0, 1]);
        assert_eq!(answers[1].subpass_merge_status, vk::SubpassMergeStatusEXT::DISALLOWED);
        let words = answers[1].description_as_c_str().unwrap().to_str().unwrap();
        assert_eq!(words, "modelled for mali-g76: the application disallows merging");
    }
}

/// Runs a render pass of two subpasses, the second of which reads what the first wrote, on a driver that has the extension and merges
/// everything.
fn on_a_driver_that_merges(by_region: bool) {
    let chain = Chain::new(driver(true));
    let first = start(&chain);
    let names = [NAME.as_ptr()];
    let mut merging = vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT::default().subpass_merge_feedback(true);
    let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names).push_next(&mut merging);
    let scene = Scene::new(first.open_device(&info).unwrap());
    assert_eq!(chain.driver.enabled_extensions(), [NAME.to_str().unwrap()]);
    let images = [scene.image(RGBA8, WIDTH, HEIGHT, 1), scene.image(RGBA8, WIDTH, HEIGHT, 1)];
    let attachments = images.each_ref().map(|image| described(image, CLEAR_STORE));
    let slots = [at(0), at(1)];
    let mut answers = [vk::RenderPassSubpassFeedbackInfoEXT::default(); 2];
    let mut whole = vk::RenderPassCreationFeedbackInfoEXT::default();
    let [first_answer, second_answer] = &mut answers;
    let mut feedback = [first_answer, second_answer]
        .map(|answer| vk::RenderPassSubpassFeedbackCreateInfoEXT::default().subpass_feedback(answer));
    let [of_first, of_second] = &mut feedback;
    let subpasses = [
        vk::SubpassDescription2::default().color_attachments(&slots[..1]).push_next(of_first),
        vk::SubpassDescription2::default()
            .color_attachments(&slots[1..])
            .input_attachments(&slots[..1])
            .push_next(of_second),
    ];
    let dependency = [vk::SubpassDependency2::default()
        .dst_subpass(1)
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(vk::PipelineStageFlags::FRAGMENT_SHADER)
        .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
        .dst_access_mask(vk::AccessFlags::INPUT_ATTACHMENT_READ)
        .dependency_flags(if by_region { vk::DependencyFlags::BY_REGION } else { vk::DependencyFlags::empty() })];
    let mut of_whole = vk::RenderPassCreationFeedbackCreateInfoEXT::default().render_pass_feedback(&mut whole);
    let info = vk::RenderPassCreateInfo2::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependency)
        .push_next(&mut of_whole);
    let pass = create_pass(&scene, &info);
    // The driver's answers, not the layer's.
    assert_eq!(whole.post_merge_subpass_count, 1);
    assert_eq!(answers[1].subpass_merge_status, vk::SubpassMergeStatusEXT::MERGED);
    assert_eq!(leaked(&chain).len(), 3, "the program's structs reach a driver that knows them");
    submit_pass(&scene, pass, &[&images[0], &images[1]], 2, ptr::null());
    scene.app.stop();
}

const SAYS_OTHERWISE: &str = "the driver that ran the program says otherwise of subpass 1: MERGED";

#[test]
fn what_the_driver_really_answers_is_recorded_and_a_difference_is_shown() {
    for (case, differs) in [("by region", false), ("not by region", true)] {
        // Whatever the setting says: the driver has the extension.
        let sandbox =
            Sandbox::new().set("sync", "1").set("gpu", "mali-g76").set("merge_feedback", &differs.to_string());
        let done = sandbox.case(case).run(|inside| on_a_driver_that_merges(inside.case() == "by region"));
        let report = done.folder.report();
        let mut command = Command::new(artefacts::cli());
        process::clean(&mut command);
        command.args(["analyze", "--gpu", "mali-g76"]).arg(&done.folder.files("capture.jsonl")[0]);
        let outcome = process::run(command, &done.folder.0, std::time::Duration::from_secs(60));
        assert!(outcome.status.success(), "{}", outcome.text());
        let text = outcome.stdout;
        let frame = only(&report);
        let said = frame.passes[0].driver_merging.clone().unwrap();
        assert_eq!(said.post_merge_subpasses, Some(1));
        let statuses: Vec<_> =
            said.subpasses.iter().map(|s| (s.subpass, &*s.merge_status, s.post_merge_index)).collect();
        let (first, second) = (MergeStatus::Unspecified.spelled(), MergeStatus::Merged.spelled());
        assert_eq!(statuses, [(0, first, 0), (1, second, 0)]);
        assert!(said.subpasses.iter().all(|s| s.description == "<".repeat(256)));
        let subpasses = frame.gpus["mali-g76"].passes.iter().flat_map(|pass| &pass.subpasses);
        let told: Vec<_> = subpasses.map(|s| s.driver_differs.as_deref()).collect();
        assert_eq!(told, [None, differs.then_some(second)], "{case}");
        assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(SAYS_OTHERWISE), differs, "{text}");
    }
}

#[test]
fn a_device_that_did_not_ask_for_it_gets_its_render_passes_as_they_are() {
    Sandbox::new().set("merge_feedback", "1").run(|_| {
        let chain = Chain::new(driver(false));
        let first = start(&chain);
        let app = first.open_device(&vk::DeviceCreateInfo::default()).unwrap();
        let info = vk::RenderPassCreateInfo2::default();
        let mut pass = vk::RenderPass::null();
        // SAFETY: valid arguments.
        let result = unsafe { app.vkCreateRenderPass2(app.device, &info, ptr::null(), &mut pass) };
        assert_eq!(result, vk::Result::SUCCESS);
        chain.driver.assert_neutral();
    });
}

/// The sample's answers: render passes with the number of subpasses after merging; status, index and words by render pass and subpass.
type Answers = BTreeMap<String, (u32, Vec<(i32, u32, String)>)>;

fn answers(outcome: &Outcome) -> Answers {
    let mut found = Answers::new();
    for line in outcome.stdout.lines() {
        let (name, rest) = line.split_once(": ").unwrap();
        match name.split_once(' ') {
            None => {
                let after = rest.split_once(" -> ").unwrap().1.parse().unwrap();
                found.insert(name.to_owned(), (after, Vec::new()));
            }
            Some((kind, _)) => {
                let mut words = rest.splitn(3, ' ');
                let mut next = || words.next().unwrap();
                let answer = (next().parse().unwrap(), next().parse().unwrap(), next().to_owned());
                found.get_mut(kind).unwrap().1.push(answer);
            }
        }
    }
    found
}

/// What the sample is told when the first GPU is `gpu`.
fn told(gpu: &str) -> Result<Answers, Missing> {
    let folder = Folder::new();
    let settings = [("gpu", gpu), ("merge_feedback", "1")];
    let outcome = sample::run(layered("merge_feedback", &[], &folder, &settings)?, &folder);
    assert!(outcome.status.success(), "{gpu}: {}", outcome.text());
    let found = answers(&outcome);
    assert_eq!(found.len(), 10, "{}", outcome.text());
    Ok(found)
}

/// What `tilelens fit` predicts of a GPU: status and number of the tile pass of each subpass.
fn predicted(json: &serde_json::Value, gpu: &str) -> Vec<(String, u32)> {
    let mut found = BTreeMap::new();
    for (index, pass) in json["gpus"][gpu]["passes"].as_array().unwrap().iter().enumerate() {
        for subpass in pass["subpasses"].as_array().unwrap() {
            let status = subpass["merge_status"].as_str().unwrap().to_owned();
            found.insert(subpass["subpass"].as_u64().unwrap(), (status, index as u32));
        }
    }
    found.into_values().collect()
}

/// What `tilelens fit` answers for these GPUs.
fn fit(gpus: &[&str], arguments: &[&str]) -> serde_json::Value {
    let folder = Folder::new();
    let mut command = Command::new(artefacts::cli());
    process::clean(&mut command);
    command.args(["fit", "--gpu", &gpus.join(","), "--extent", "1280x720", "--format", "json"]).args(arguments);
    let outcome = process::run(command, &folder.0, std::time::Duration::from_secs(60));
    assert!(outcome.status.success(), "{}", outcome.text());
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn a_program_is_told_what_fit_predicts_of_every_kind_of_render_pass() {
    const C: &str = "--attachment=R8G8B8A8_UNORM";
    const D: &str = "--attachment=D32_SFLOAT";
    const L: &str = "--attachment=R16G16B16A16_SFLOAT";
    let kinds: &[(&str, &[&str])] = &[
        ("single", &[C, D, "--subpass=color=0;depth=1"]),
        ("deferred", &[C, C, C, D, "--subpass=color=0,1;depth=3", "--subpass=color=2;depth=3;input=0,1"]),
        (
            "three",
            &[C, C, C, D, "--subpass=color=0,1;depth=3", "--subpass=color=2;depth=3;input=0,1", "--subpass=color=2"],
        ),
        (
            "large",
            &[
                L,
                L,
                L,
                L,
                L,
                L,
                L,
                L,
                C,
                "--subpass=color=0,1,2,3",
                "--subpass=color=4,5,6,7;input=0,1,2,3",
                "--subpass=color=8;input=4,5,6,7",
            ],
        ),
        ("samples", &["--attachment=R8G8B8A8_UNORM@4", C, "--subpass=color=0", "--subpass=color=1;input=0"]),
        ("two-depths", &[C, D, D, "--subpass=color=0;depth=1", "--subpass=color=0;depth=2"]),
        ("unrelated", &[C, C, "--subpass=color=0", "--subpass=color=1"]),
    ];
    let gpus = [
        "mali-g76",
        "mali-g71",
        "mali-g610-panvk",
        "mali-g610-panvk-25.0",
        "adreno-650",
        "apple-m1",
        "apple-m1-hk",
        "powervr-gx6250",
        "powervr-bxs-4-64",
        "videocore-vi",
    ];
    let mut statuses = Vec::new();
    let fits: Vec<_> = kinds.iter().map(|(kind, arguments)| (*kind, fit(&gpus, arguments))).collect();
    for gpu in gpus {
        let told = need!(told(gpu));
        for (kind, fit) in &fits {
            let (count, subpasses) = &told[*kind];
            let predicted = predicted(fit, gpu);
            let found: Vec<(String, u32)> = subpasses
                .iter()
                .map(|(status, index, words)| {
                    assert!(words.starts_with(&format!("modelled for {gpu}: ")), "{words}");
                    (MergeStatus::ALL[*status as usize].spelled().to_owned(), *index)
                })
                .collect();
            assert_eq!(found, predicted, "{gpu} {kind}");
            assert_eq!(*count, predicted.iter().map(|(_, index)| index + 1).max().unwrap(), "{gpu} {kind}");
            statuses.extend(subpasses.iter().map(|(status, ..)| *status));
        }
        // The specification: every subpass of a render pass that disallows it, or that one subpass.
        let disallowed = MergeStatus::Disallowed as i32;
        assert!(told["all-disallowed"].1.iter().all(|(status, ..)| *status == disallowed), "{gpu}");
        assert_eq!(told["all-disallowed"].0, 2);
        assert_eq!((told["one-disallowed"].1[1].0, told["one-disallowed"].0), (disallowed, 2), "{gpu}");
        assert_ne!(told["one-disallowed"].1[0].0, disallowed, "{gpu}");
    }
    assert_eq!(need!(told("mali-g76"))["not-by-region"].1[1].0, MergeStatus::Dependencies as i32);
    statuses.sort_unstable();
    statuses.dedup();
    assert!(statuses.len() >= 6, "the comparison has teeth: {statuses:?}");
}

#[test]
fn without_the_setting_or_the_layer_the_program_finds_no_such_extension() {
    let folder = Folder::new();
    for command in [layered("merge_feedback", &[], &folder, &[]), sample::command("merge_feedback", &[])] {
        let outcome = sample::run(need!(command), &folder);
        assert_eq!(outcome.status.code(), Some(2), "{}", outcome.text());
        assert!(outcome.stderr.contains("VK_EXT_subpass_merge_feedback"), "{}", outcome.text());
    }
}

/// How the sample ends where the layer is an implicit one that is switched on.
fn implicit(setting: &str, (variable, value): (&str, &str)) -> Result<Outcome, Missing> {
    let folder = Folder::new();
    let home = folder.0.join("data");
    let manifests = home.join("vulkan/implicit_layer.d");
    std::fs::create_dir_all(&manifests).unwrap();
    let manifest = tilelens_manifest::implicit_manifest(&artefacts::layer().to_string_lossy());
    std::fs::write(manifests.join(tilelens_manifest::MANIFEST_FILE_NAME), manifest).unwrap();
    let mut command = sample::command("merge_feedback", &[])?;
    real::settings::apply(&mut command, &folder, &[("merge_feedback", setting)]);
    command.env("XDG_DATA_HOME", &home).env(variable, value);
    Ok(sample::run(command, &folder))
}

#[test]
fn installed_for_all_programs_it_offers_the_extension_only_with_the_setting() {
    let own = (tilelens_manifest::ENABLE_VARIABLE, "1");
    for switch in [own, ("VK_LOADER_LAYERS_ENABLE", "*tbdr*")] {
        let on = need!(implicit("1", switch));
        assert!(on.status.success() && !answers(&on).is_empty(), "{switch:?}: {}", on.text());
        let off = need!(implicit("0", switch));
        assert_eq!(off.status.code(), Some(2), "{switch:?}: {}", off.text());
        assert!(off.stderr.contains("has no VK_EXT_subpass_merge_feedback"), "not in the list: {}", off.text());
    }
}
