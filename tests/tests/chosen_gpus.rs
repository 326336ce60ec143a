//! Which GPUs are modelled, and by which choices: the same in the running layer and from its capture.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use ash::vk;
use std::fs;
use std::path::Path;
use std::process::Command;
use tbdr_model::report::Report;
use tilelens_tests::artefacts;
use tilelens_tests::fake::options::FakeGpu;
use tilelens_tests::fake::{Chain, Options};
use tilelens_tests::sandbox::{Done, Sandbox};
use tilelens_tests::script::{Scene, attachment};

/// Runs a program that lights a G-buffer of 288 colour bits per pixel within one render pass, on this GPU.
fn deferred_on(gpu: FakeGpu) {
    let chain = Chain::new(Options { gpu, ..Options::default() });
    let scene = Scene::new(chain.start());
    let image = |format| scene.image(format, 256, 256, 1);
    let images =
        [vk::Format::R8G8B8A8_UNORM, vk::Format::R32G32B32A32_SFLOAT, vk::Format::R32G32B32A32_SFLOAT].map(image);
    let (clear, store) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentStoreOp::STORE);
    let mut attachments = images.each_ref().map(|image| attachment(image, clear, vk::AttachmentStoreOp::DONT_CARE));
    attachments[0].store_op = store;
    let reference = |attachment| vk::AttachmentReference { attachment, layout: vk::ImageLayout::GENERAL };
    let (result, buffer) = ([reference(0)], [reference(1), reference(2)]);
    let subpasses = [
        vk::SubpassDescription::default().color_attachments(&buffer),
        vk::SubpassDescription::default().color_attachments(&result).input_attachments(&buffer),
    ];
    let local = [vk::SubpassDependency::default()
        .dst_subpass(1)
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(vk::PipelineStageFlags::FRAGMENT_SHADER)
        .dependency_flags(vk::DependencyFlags::BY_REGION)];
    let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses).dependencies(&local);
    let mut pass = vk::RenderPass::null();
    // SAFETY: valid arguments.
    let made = unsafe { scene.app.vkCreateRenderPass(scene.app.device, &info, std::ptr::null(), &mut pass) };
    assert_eq!(made, vk::Result::SUCCESS);
    let framebuffer = scene.framebuffer(pass, &images.each_ref());
    scene.record(|app, buffer| {
        let area = vk::Rect2D { extent: images[0].extent, ..vk::Rect2D::default() };
        let begin = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(area);
        // SAFETY: valid arguments; the fake driver looks at no clear values.
        unsafe {
            app.vkCmdBeginRenderPass(buffer, &begin, vk::SubpassContents::INLINE);
            app.vkCmdDraw(buffer, 3, 1, 0, 0);
            app.vkCmdNextSubpass(buffer, vk::SubpassContents::INLINE);
            app.vkCmdDraw(buffer, 3, 1, 0, 0);
            app.vkCmdEndRenderPass(buffer);
        }
    });
    scene.submit(scene.buffer);
    scene.app.stop();
    chain.driver.assert_neutral();
}

fn sandbox(gpu: &str) -> Sandbox {
    Sandbox::new().set("frame_submits", "1").set("sync", "on").set("gpu", gpu)
}

fn analyzed(capture: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(artefacts::cli());
    let output = command.arg("analyze").arg(capture).args(["--format", "json"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The report, which is that of the capture byte for byte.
fn report(done: &Done) -> Report {
    let captures = done.folder.files("capture.jsonl");
    let [capture] = &captures[..] else { panic!("{captures:?}: {}", done.folder.log()) };
    assert!(analyzed(capture, &[]) == fs::read_to_string(capture.with_file_name("report.json")).unwrap());
    done.folder.report()
}

fn modelled(report: &Report) -> Vec<&str> {
    report.gpus.keys().map(String::as_str).collect()
}

#[test]
fn running_models_the_gpu_that_the_program_runs_on() {
    let phone = FakeGpu { name: "Adreno (TM) 740", vendor: 0x5143, device: 0x4305_0A01, ..FakeGpu::default() };
    let done = sandbox("running,mali-g71").run(|_| deferred_on(phone));
    let told = report(&done);
    assert_eq!(modelled(&told), ["adreno-740", "mali-g71"]);
    assert_eq!(told.run.settings["gpu"], "running,mali-g71");
    let capture = &done.folder.files("capture.jsonl")[0];
    let running: Report = serde_json::from_str(&analyzed(capture, &["--gpu", "running"])).unwrap();
    assert_eq!(modelled(&running), ["adreno-740"]);
}

#[test]
fn the_id_of_a_mali_leads_to_its_profile_whatever_its_name() {
    let mali = FakeGpu { name: "a phone", vendor: 0x13B5, device: 0x7211_0000, ..FakeGpu::default() };
    let done = sandbox("running").run(|_| deferred_on(mali));
    assert_eq!(modelled(&report(&done)), ["mali-g76"]);
}

#[test]
fn the_version_of_mesa_leads_to_the_policy_of_its_driver() {
    let mesa = FakeGpu {
        name: "Mali-G610 MC4 (Panfrost)",
        vendor: 0x13B5,
        device: 0xA867_0000,
        driver_version: vk::make_api_version(0, 25, 0, 7),
    };
    let done = sandbox("running").run(|_| deferred_on(mesa));
    assert_eq!(modelled(&report(&done)), ["mali-g610-panvk-25.0"]);
}

#[test]
fn where_the_gpu_that_runs_is_not_modelled_the_usual_ones_are_and_the_log_says_what_to_do() {
    let done = sandbox("running").run(|_| {
        deferred_on(FakeGpu::default());
    });
    let told = report(&done);
    assert_eq!(modelled(&told), ["adreno-650", "apple-m1", "mali-g76"]);
    assert_eq!(told.run.settings["gpu"], "mali-g76,adreno-650,apple-m1");
    let log = done.folder.log();
    assert_eq!(log.matches("`running`").count(), 1, "said once: {log}");
    for words in ["`Fake GPU`, is not modelled", "name a GPU instead", "modelling mali-g76,adreno-650,apple-m1"] {
        assert!(log.contains(words), "{log}");
    }
    let capture = &done.folder.files("capture.jsonl")[0];
    let mut refused = Command::new(artefacts::cli());
    let refused = refused.arg("analyze").arg(capture).args(["--gpu", "running"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is not modelled; name a GPU instead"));
}

#[test]
fn above_arms_colour_budget_a_setting_says_whether_subpasses_merge() {
    const BYTES: u64 = 256 * 256 * 4;
    let moved = |report: &Report| {
        let gpu = &report.frames[0].gpus["mali-g76"];
        (gpu.passes.len(), gpu.read_bytes.0, gpu.write_bytes.0)
    };
    let usual = sandbox("mali-g76").run(|_| deferred_on(FakeGpu::default()));
    let told = report(&usual);
    assert_eq!(moved(&told), (1, 0, BYTES));
    let capture = &usual.folder.files("capture.jsonl")[0];
    let chosen =
        sandbox("mali-g76").set("over_budget", "not_merged").case("chosen").run(|_| deferred_on(FakeGpu::default()));
    let chosen_told = report(&chosen);
    assert_eq!(moved(&chosen_told), (2, 8 * BYTES, 9 * BYTES));
    let passes = &chosen_told.frames[0].gpus["mali-g76"].passes;
    assert_eq!(
        passes[1].subpasses[0].merge_status.as_deref(),
        Some("VK_SUBPASS_MERGE_STATUS_NOT_MERGED_INSUFFICIENT_STORAGE_EXT")
    );
    assert!(passes.iter().all(|pass| pass.alternative.is_none() && pass.merge_basis.as_deref() == Some("documented")));
    // The other way round, without another run.
    let other: Report = serde_json::from_str(&analyzed(capture, &["--over-budget", "not_merged"])).unwrap();
    assert_eq!(moved(&other), moved(&chosen_told));
}
