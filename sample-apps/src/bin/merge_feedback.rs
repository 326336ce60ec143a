//! Merge feedback: makes render passes of every kind and prints what VK_EXT_subpass_merge_feedback says of their subpasses.
//!
//! Nothing is drawn. Exit status: 0 every answer was written and nothing else, 1 not so, 2 the device does not have the extension.

use ash::vk;
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use tilelens_samples::Error;
use tilelens_samples::features::Feature;
use tilelens_samples::gpu::{Gpu, Wanted};

/// Prints what the driver says of the merging of subpasses (VK_EXT_subpass_merge_feedback), render pass by render pass.
///
/// A line for each render pass, `KIND: SUBPASSES -> SUBPASSES AFTER MERGING`, then one for each subpass, `KIND SUBPASS: STATUS INDEX
/// DESCRIPTION`.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    /// Index of the device in vkEnumeratePhysicalDevices.
    #[arg(long)]
    device: Option<usize>,
}

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const RGBA16: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
const D32: vk::Format = vk::Format::D32_SFLOAT;

/// A subpass: colour attachments, depth attachment, input attachments.
type Sub = (&'static [u32], Option<u32>, &'static [u32]);

/// A render pass.
struct Kind {
    name: &'static str,
    /// Format and samples of each attachment.
    attachments: &'static [(vk::Format, u32)],
    subpasses: &'static [Sub],
    /// Whether dependencies are by region.
    by_region: bool,
    /// Which subpass must not be merged; beyond the last one, the whole render pass.
    disallowed: Option<usize>,
}

const G_BUFFER: &[(vk::Format, u32)] = &[(RGBA8, 1), (RGBA8, 1), (RGBA8, 1), (D32, 1)];
const DEFERRED: &[Sub] = &[(&[0, 1], Some(3), &[]), (&[2], Some(3), &[0, 1])];
const LARGE: &[(vk::Format, u32)] = &[
    (RGBA16, 1),
    (RGBA16, 1),
    (RGBA16, 1),
    (RGBA16, 1),
    (RGBA16, 1),
    (RGBA16, 1),
    (RGBA16, 1),
    (RGBA16, 1),
    (RGBA8, 1),
];

const KINDS: &[Kind] = &[
    Kind {
        name: "single",
        attachments: &[(RGBA8, 1), (D32, 1)],
        subpasses: &[(&[0], Some(1), &[])],
        by_region: true,
        disallowed: None,
    },
    Kind { name: "deferred", attachments: G_BUFFER, subpasses: DEFERRED, by_region: true, disallowed: None },
    Kind {
        name: "three",
        attachments: G_BUFFER,
        subpasses: &[(&[0, 1], Some(3), &[]), (&[2], Some(3), &[0, 1]), (&[2], None, &[])],
        by_region: true,
        disallowed: None,
    },
    Kind {
        name: "large",
        attachments: LARGE,
        subpasses: &[(&[0, 1, 2, 3], None, &[]), (&[4, 5, 6, 7], None, &[0, 1, 2, 3]), (&[8], None, &[4, 5, 6, 7])],
        by_region: true,
        disallowed: None,
    },
    Kind {
        name: "samples",
        attachments: &[(RGBA8, 4), (RGBA8, 1)],
        subpasses: &[(&[0], None, &[]), (&[1], None, &[0])],
        by_region: true,
        disallowed: None,
    },
    Kind {
        name: "two-depths",
        attachments: &[(RGBA8, 1), (D32, 1), (D32, 1)],
        subpasses: &[(&[0], Some(1), &[]), (&[0], Some(2), &[])],
        by_region: true,
        disallowed: None,
    },
    Kind {
        name: "unrelated",
        attachments: &[(RGBA8, 1), (RGBA8, 1)],
        subpasses: &[(&[0], None, &[]), (&[1], None, &[])],
        by_region: true,
        disallowed: None,
    },
    Kind { name: "not-by-region", attachments: G_BUFFER, subpasses: DEFERRED, by_region: false, disallowed: None },
    Kind { name: "one-disallowed", attachments: G_BUFFER, subpasses: DEFERRED, by_region: true, disallowed: Some(1) },
    Kind { name: "all-disallowed", attachments: G_BUFFER, subpasses: DEFERRED, by_region: true, disallowed: Some(2) },
];

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("merge_feedback: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, Error> {
    let features = vec![Feature::MergeFeedback];
    let wanted = Wanted { index: options.device, features, vulkan_1_2: true, ..Wanted::default() };
    let gpu = Gpu::open("merge_feedback", &wanted)?;
    if gpu.features::<vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT<'_>>().subpass_merge_feedback == vk::FALSE {
        return Err(
            gpu.lacks("feature subpassMergeFeedback, though it has the extension", "this is a fault of the driver")
        );
    }
    let mut good = true;
    for kind in KINDS {
        good &= kind.make(&gpu)?;
    }
    Ok(good)
}

/// What no driver answers: an answer that is still this was never written.
const UNWRITTEN: u32 = 0x7777_7777;

/// The layout of every attachment: the one that is right for all uses.
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

impl Kind {
    /// Makes the render pass and prints the answers. `false` if one is missing or if anything but answers was written.
    fn make(&self, gpu: &Gpu) -> Result<bool, Error> {
        let attachments: Vec<_> = self.attachments.iter().map(described).collect();
        let reference = |n: &u32| {
            let aspect = match self.attachments[*n as usize].0 {
                D32 => vk::ImageAspectFlags::DEPTH,
                _ => vk::ImageAspectFlags::COLOR,
            };
            vk::AttachmentReference2::default().attachment(*n).layout(GENERAL).aspect_mask(aspect)
        };
        let references = |list: &[u32]| list.iter().map(reference).collect::<Vec<_>>();
        let lists: Vec<_> = self
            .subpasses
            .iter()
            .map(|(color, depth, input)| (references(color), depth.as_ref().map(reference), references(input)))
            .collect();
        let blank = vk::RenderPassSubpassFeedbackInfoEXT {
            subpass_merge_status: vk::SubpassMergeStatusEXT::from_raw(UNWRITTEN as i32),
            description: [0x77; vk::MAX_DESCRIPTION_SIZE],
            post_merge_index: UNWRITTEN,
        };
        let mut answers = vec![blank; self.subpasses.len()];
        let mut feedback: Vec<_> = answers
            .iter_mut()
            .map(|answer| vk::RenderPassSubpassFeedbackCreateInfoEXT::default().subpass_feedback(answer))
            .collect();
        let count = self.subpasses.len();
        let mut controls: Vec<_> = (0..=count)
            .map(|n| vk::RenderPassCreationControlEXT::default().disallow_merging(self.disallowed == Some(n)))
            .collect();
        let mut whole_control = controls.pop().unwrap_or_default();
        let subpasses: Vec<_> = lists
            .iter()
            .zip(feedback.iter_mut().zip(&mut controls))
            .map(|((color, depth, input), (feedback, control))| {
                let subpass = vk::SubpassDescription2::default().color_attachments(color).input_attachments(input);
                let subpass = match depth {
                    Some(depth) => subpass.depth_stencil_attachment(depth),
                    None => subpass,
                };
                subpass.push_next(feedback).push_next(control)
            })
            .collect();
        let dependencies = self.dependencies();
        let mut whole = vk::RenderPassCreationFeedbackInfoEXT { post_merge_subpass_count: UNWRITTEN };
        let mut whole_feedback =
            vk::RenderPassCreationFeedbackCreateInfoEXT::default().render_pass_feedback(&mut whole);
        let info = vk::RenderPassCreateInfo2::default()
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies)
            .push_next(&mut whole_feedback)
            .push_next(&mut whole_control);
        let before = hash(&info);
        // SAFETY: `info` borrows all it points to, and follows the rules of render passes.
        let pass = unsafe { gpu.device.create_render_pass2(&info, None) }
            .map_err(|result| Error::Vulkan { command: "vkCreateRenderPass2", result })?;
        let untouched = before == hash(&info);
        // SAFETY: nothing uses it.
        unsafe { gpu.device.destroy_render_pass(pass, None) };
        self.print(&whole, &answers)?;
        let written = |a: &vk::RenderPassSubpassFeedbackInfoEXT| {
            a.subpass_merge_status.as_raw() as u32 != UNWRITTEN
                && a.post_merge_index < whole.post_merge_subpass_count
                && a.description_as_c_str().is_ok()
        };
        let all = answers.iter().all(written) && (1..=count as u32).contains(&whole.post_merge_subpass_count);
        if !(all && untouched) {
            eprintln!("merge_feedback: {}: answers written: {all}, everything else untouched: {untouched}", self.name);
        }
        Ok(all && untouched)
    }

    fn print(
        &self,
        whole: &vk::RenderPassCreationFeedbackInfoEXT,
        answers: &[vk::RenderPassSubpassFeedbackInfoEXT],
    ) -> Result<(), Error> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}: {} -> {}", self.name, answers.len(), whole.post_merge_subpass_count)?;
        for (number, answer) in answers.iter().enumerate() {
            let words = answer.description_as_c_str().unwrap_or_default().to_string_lossy();
            let status = answer.subpass_merge_status.as_raw();
            writeln!(out, "{} {number}: {status} {} {words}", self.name, answer.post_merge_index)?;
        }
        Ok(())
    }

    /// What Vulkan demands where a subpass uses what an earlier one has written.
    fn dependencies(&self) -> Vec<vk::SubpassDependency2<'static>> {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let writes = |(color, depth, _): &Sub, n: u32| color.contains(&n) || *depth == Some(n);
        let uses = |sub: &Sub, n: u32| writes(sub, n) || sub.2.contains(&n);
        let tests = Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS;
        let written = Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let read =
            Access::INPUT_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_READ;
        let flags = if self.by_region { vk::DependencyFlags::BY_REGION } else { vk::DependencyFlags::empty() };
        let mut found = Vec::new();
        for (dst, later) in (0u32..).zip(self.subpasses) {
            for (src, earlier) in (0u32..dst).zip(self.subpasses) {
                if (0..self.attachments.len() as u32).any(|n| writes(earlier, n) && uses(later, n)) {
                    found.push(
                        vk::SubpassDependency2::default()
                            .src_subpass(src)
                            .dst_subpass(dst)
                            .src_stage_mask(Stage::COLOR_ATTACHMENT_OUTPUT | Stage::LATE_FRAGMENT_TESTS)
                            .dst_stage_mask(Stage::FRAGMENT_SHADER | Stage::COLOR_ATTACHMENT_OUTPUT | tests)
                            .src_access_mask(written)
                            .dst_access_mask(written | read)
                            .dependency_flags(flags),
                    );
                }
            }
        }
        found
    }
}

fn described(&(format, samples): &(vk::Format, u32)) -> vk::AttachmentDescription2<'static> {
    let store = if format == D32 { vk::AttachmentStoreOp::DONT_CARE } else { vk::AttachmentStoreOp::STORE };
    vk::AttachmentDescription2::default()
        .format(format)
        .samples(vk::SampleCountFlags::from_raw(samples))
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(store)
        .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
        .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
        .final_layout(GENERAL)
}

/// A hash of all that vkCreateRenderPass2 is given and may not write: the struct, its arrays, and every chained struct.
fn hash(info: &vk::RenderPassCreateInfo2<'_>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    // SAFETY: the arrays and chains are those that the caller has built; every chained struct has three words.
    unsafe {
        let mut add = |start: *const u8, bytes: usize| {
            for at in 0..bytes {
                hash = (hash ^ u64::from(*start.add(at))).wrapping_mul(0x100_0000_01b3);
            }
        };
        let add_chain = |mut next: *const vk::BaseInStructure<'_>, add: &mut dyn FnMut(*const u8, usize)| {
            while let Some(item) = next.as_ref() {
                let size = match item.s_type {
                    // A flag; behind it nobody says what lies there.
                    vk::StructureType::RENDER_PASS_CREATION_CONTROL_EXT => 20,
                    _ => 24,
                };
                add(next.cast(), size);
                next = item.p_next;
            }
        };
        let subpasses = std::slice::from_raw_parts(info.p_subpasses, info.subpass_count as usize);
        add(std::ptr::from_ref(info).cast(), size_of_val(info));
        add(info.p_attachments.cast(), info.attachment_count as usize * size_of::<vk::AttachmentDescription2<'_>>());
        add(info.p_subpasses.cast(), size_of_val(subpasses));
        add_chain(info.p_next.cast(), &mut add);
        for subpass in subpasses {
            let reference = size_of::<vk::AttachmentReference2<'_>>();
            add(subpass.p_color_attachments.cast(), subpass.color_attachment_count as usize * reference);
            add(subpass.p_input_attachments.cast(), subpass.input_attachment_count as usize * reference);
            add_chain(subpass.p_next.cast(), &mut add);
        }
        if info.dependency_count > 0 {
            let size = size_of::<vk::SubpassDependency2<'_>>();
            add(info.p_dependencies.cast(), info.dependency_count as usize * size);
        }
    }
    hash
}
