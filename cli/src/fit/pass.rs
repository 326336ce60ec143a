//! The frame in which the render pass in question runs once, as the layer would have recorded it.

use super::attachment::Spec as Attached;
use super::subpass::{Spec as Subspec, input_aspects};
use std::collections::BTreeMap;
use tbdr_model::frame::{
    Aspects, Attachment, AttachmentUse, Boundary, Dependency, FrameStructure, Image, ImageRef, Layout, LoadOp, Op,
    Pass, ResolveUse, Submission, Subpass, SubresourceRange, usage,
};
use tbdr_model::record::{Counters, FrameRecord, Record, Run};
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

/// Draws per subpass: enough that no driver takes the pass for a small one.
const DRAWS: u64 = 100;

/// VkImageLayout.
const GENERAL: Layout = Layout(1);
const COLOR_TARGET: Layout = Layout(2);
const DEPTH_TARGET: Layout = Layout(3);
const DEPTH_READ_ONLY: Layout = Layout(4);
const SHADER_READ_ONLY: Layout = Layout(5);

/// A render pass as asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Framebuffer and render area.
    pub extent: Extent2D,
    /// Framebuffer layers.
    pub layers: u32,
    /// Attachments.
    pub attachments: Vec<Attached>,
    /// Subpasses; at least one.
    pub subpasses: Vec<Subspec>,
    /// Settings of the run that decide where drivers' documents leave it open.
    pub settings: BTreeMap<String, String>,
}

impl Request {
    /// The records of a run of one frame.
    pub fn records(&self) -> Vec<Record> {
        let counters = Counters { draws: DRAWS, vertices: 3 * DRAWS, ..Counters::default() };
        let mut counters = vec![counters; self.subpasses.len()];
        counters.push(Counters::default());
        let images = (0..self.attachments.len() as u64).collect();
        vec![
            Record::Run(Run { settings: self.settings.clone(), ..Run::default() }),
            Record::Structure { id: 0, frame: self.frame() },
            Record::Frame(FrameRecord { images, counters, ..FrameRecord::default() }),
            Record::End,
        ]
    }

    fn frame(&self) -> FrameStructure {
        FrameStructure {
            images: (0..).zip(&self.attachments).map(|(index, a)| self.image(index, a)).collect(),
            submissions: vec![Submission { ops: vec![Op::Pass(self.pass())], ..Submission::default() }],
            boundary: Boundary::End,
            ..FrameStructure::default()
        }
    }

    fn image(&self, index: u32, attachment: &Attached) -> Image {
        let target = if attachment.is_color() { usage::COLOR_ATTACHMENT } else { usage::DEPTH_STENCIL_ATTACHMENT };
        let read = self.subpasses.iter().any(|s| s.input.contains(&Some(index)));
        Image {
            name: Some(format!("attachment {index}")),
            format: attachment.format.format,
            dimension: 1,
            extent: Extent3D { width: self.extent.width, height: self.extent.height, depth: 1 },
            mips: 1,
            layers: self.layers,
            samples: attachment.samples,
            usage: target | if read { usage::INPUT_ATTACHMENT } else { 0 },
            ..Image::default()
        }
    }

    /// The render pass instance: it covers its framebuffer.
    fn pass(&self) -> Pass {
        Pass {
            render_area: Rect2D { extent: self.extent, ..Rect2D::default() },
            extent: self.extent,
            layers: self.layers,
            attachments: (0..).zip(&self.attachments).map(|(index, a)| self.attachment(index, a)).collect(),
            subpasses: self.subpasses.iter().map(|s| self.subpass(s)).collect(),
            dependencies: self.dependencies(),
            ..Pass::default()
        }
    }

    fn attachment(&self, index: u32, spec: &Attached) -> Attachment {
        let layout = if spec.is_color() { COLOR_TARGET } else { DEPTH_TARGET };
        let loads = [spec.load, spec.stencil_load].contains(&LoadOp::Load);
        Attachment {
            image: Some(ImageRef(index)),
            range: SubresourceRange {
                aspects: spec.format.aspects(),
                mips: 1,
                layers: self.layers,
                ..SubresourceRange::default()
            },
            format: spec.format.format,
            samples: spec.samples,
            load: spec.load,
            store: spec.store,
            stencil_load: spec.stencil_load,
            stencil_store: spec.stencil_store,
            initial_layout: if loads { layout } else { Layout::UNDEFINED },
            final_layout: layout,
            ..Attachment::default()
        }
    }

    fn subpass(&self, spec: &Subspec) -> Subpass {
        let is_input = |index: u32| spec.input.contains(&Some(index));
        let is_target = |index: u32| spec.written().any(|written| written == index);
        let color = |slot: &Option<u32>| {
            slot.map(|attachment| {
                let layout = if is_input(attachment) { GENERAL } else { COLOR_TARGET };
                AttachmentUse { attachment, layout, ..AttachmentUse::default() }
            })
        };
        let resolve = |slot: &Option<u32>| {
            slot.map(|attachment| {
                // Integers have no average, so Vulkan takes the sample that it numbers 0; its bits are 1 and 2.
                let mode = if self.is_integer(attachment) { 1 } else { 2 };
                ResolveUse { attachment, layout: COLOR_TARGET, mode }
            })
        };
        let input = |slot: &Option<u32>| {
            let attachment = (*slot)?;
            let described = self.attachments.get(attachment as usize)?;
            let layout = match (described.is_color(), is_target(attachment)) {
                (true, true) => GENERAL,
                (true, false) => SHADER_READ_ONLY,
                (false, _) => DEPTH_READ_ONLY,
            };
            Some(AttachmentUse { attachment, layout, aspects: input_aspects(described), ..AttachmentUse::default() })
        };
        let depth = |aspect: Aspects| {
            let attachment = spec.depth?;
            let described = self.attachments.get(attachment as usize)?;
            let layout = if is_input(attachment) { DEPTH_READ_ONLY } else { DEPTH_TARGET };
            let used = AttachmentUse { attachment, layout, ..AttachmentUse::default() };
            described.format.aspects().contains(aspect).then_some(used)
        };
        Subpass {
            color: spec.color.iter().map(color).collect(),
            resolve: spec.resolve.iter().map(resolve).collect(),
            depth: depth(Aspects::DEPTH),
            stencil: depth(Aspects::STENCIL),
            input: spec.input.iter().map(input).collect(),
            drawn: true,
            ..Subpass::default()
        }
    }

    fn is_integer(&self, attachment: u32) -> bool {
        use tbdr_model::format::Numeric::{Sint, Uint};
        let components = self.attachments.get(attachment as usize).map_or(&[][..], |a| a.format.components);
        components.iter().any(|c| matches!(c.numeric, Sint | Uint))
    }

    /// What Vulkan demands where a subpass uses what an earlier one wrote, in the form that keeps it on chip: by region and within
    /// framebuffer space.
    fn dependencies(&self) -> Vec<Dependency> {
        const FRAGMENT_SHADER: u64 = 0x80;
        const EARLY_TESTS: u64 = 0x100;
        const LATE_TESTS: u64 = 0x200;
        const COLOR_OUTPUT: u64 = 0x400;
        /// VkAccessFlagBits2: INPUT_ATTACHMENT_READ, COLOR_ATTACHMENT_READ and _WRITE, DEPTH_STENCIL_ATTACHMENT_READ and _WRITE.
        const READS: u64 = 0x10 | 0x80 | 0x200;
        const WRITES: u64 = 0x100 | 0x400;
        let mut found = Vec::new();
        for (dst, later) in (0u32..).zip(&self.subpasses) {
            for (src, earlier) in (0u32..dst).zip(&self.subpasses) {
                if later.used().any(|index| earlier.written().any(|written| written == index)) {
                    found.push(Dependency {
                        src,
                        dst,
                        src_stages: COLOR_OUTPUT | LATE_TESTS,
                        dst_stages: FRAGMENT_SHADER | EARLY_TESTS | LATE_TESTS | COLOR_OUTPUT,
                        src_access: WRITES,
                        dst_access: READS | WRITES,
                        flags: Dependency::BY_REGION,
                        ..Dependency::default()
                    });
                }
            }
        }
        found
    }
}
