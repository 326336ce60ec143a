//! Records a stream into command buffers, cut wherever the specification lets it be cut, and submits it.

use super::state::State;
use super::stream::{Inside, Item, Pass};
use ash::vk::{self, CommandBuffer};
use std::ptr;
use tilelens_tests::fake::App;
use tilelens_tests::script::{Image, Scene, attachment};

const WIDTH: u32 = 512;
const HEIGHT: u32 = 256;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const NO: *const vk::AllocationCallbacks<'static> = ptr::null();

/// The images that streams use, and the application.
pub struct Emitter<'a> {
    scene: &'a Scene,
    colors: [Image; 2],
    depth: Image,
    buffer: vk::Buffer,
    state: State<'a>,
    cuts: Box<dyn Iterator<Item = u8> + 'a>,
    /// The primary that is being recorded.
    open: Option<CommandBuffer>,
    /// Submits of batches of command buffers.
    submits: Vec<Vec<Vec<CommandBuffer>>>,
}

impl<'a> Emitter<'a> {
    /// An emitter that cuts as `cuts` say, again and again.
    pub fn new(scene: &'a Scene, cuts: &'a [u8]) -> Self {
        let format = vk::Format::R8G8B8A8_UNORM;
        // Shaders reach the first of them.
        let colors = [scene.shared_image(format, WIDTH, HEIGHT), scene.image(format, WIDTH, HEIGHT, 1)];
        let depth = scene.image(vk::Format::D32_SFLOAT_S8_UINT, WIDTH, HEIGHT, 1);
        let mut buffer = vk::Buffer::null();
        let info = vk::BufferCreateInfo::default().size(4096).usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: valid arguments.
        unsafe { scene.app.vkCreateBuffer(scene.app.device, &info, NO, &mut buffer).result().unwrap() };
        let cuts = Box::new(cuts.iter().copied().cycle());
        let state = State::new(scene, colors, depth);
        Self { scene, colors, depth, buffer, state, cuts, open: None, submits: vec![vec![Vec::new()]] }
    }

    /// Records and submits a stream.
    pub fn run(mut self, stream: &[Item]) {
        let mut label = false;
        for item in stream {
            if matches!(item, Item::Label) {
                label = true;
                continue;
            }
            self.boundary();
            let labelled = std::mem::take(&mut label);
            if labelled {
                let name = vk::DebugUtilsLabelEXT::default().label_name(c"region");
                let buffer = self.primary();
                // SAFETY: a command buffer being recorded.
                unsafe { self.app().vkCmdBeginDebugUtilsLabelEXT(buffer, &name) };
                // The region goes on into the next command buffer.
                self.boundary();
            }
            self.item(item);
            if labelled {
                self.boundary();
                let buffer = self.primary();
                // SAFETY: a command buffer being recorded.
                unsafe { self.app().vkCmdEndDebugUtilsLabelEXT(buffer) };
            }
        }
        self.close();
        for batches in &self.submits {
            let infos: Vec<_> = batches.iter().map(|b| vk::SubmitInfo::default().command_buffers(b)).collect();
            // SAFETY: valid arguments.
            unsafe {
                let count = infos.len() as u32;
                self.app().vkQueueSubmit(self.scene.queue, count, infos.as_ptr(), vk::Fence::null()).result().unwrap();
            }
        }
    }

    fn app(&self) -> &'a App {
        &self.scene.app
    }

    /// The next cut, out of `ways`; 0 is none.
    fn cut(&mut self, ways: u8) -> u8 {
        self.cuts.next().unwrap_or(0) % ways
    }

    fn allocate(&self, level: vk::CommandBufferLevel) -> CommandBuffer {
        self.app().command_buffers(self.scene.pool, level, 1)[0]
    }

    fn primary(&mut self) -> CommandBuffer {
        if let Some(open) = self.open {
            return open;
        }
        let buffer = self.allocate(vk::CommandBufferLevel::PRIMARY);
        // SAFETY: valid arguments.
        unsafe { self.app().vkBeginCommandBuffer(buffer, &vk::CommandBufferBeginInfo::default()).result().unwrap() };
        self.open = Some(buffer);
        buffer
    }

    fn close(&mut self) {
        if let Some(buffer) = self.open.take() {
            // SAFETY: it is being recorded.
            unsafe { self.app().vkEndCommandBuffer(buffer).result().unwrap() };
            self.submits.last_mut().unwrap().last_mut().unwrap().push(buffer);
        }
    }

    /// Between items: goes on, or in a new command buffer, batch or submit.
    fn boundary(&mut self) {
        let cut = self.cut(4);
        if cut == 0 {
            return;
        }
        self.close();
        match cut {
            2 => self.submits.last_mut().unwrap().push(Vec::new()),
            3 => self.submits.push(vec![Vec::new()]),
            _ => {}
        }
    }

    /// An item, in the primary or in a secondary that it executes. Render pass objects begin in primaries only.
    fn item(&mut self, item: &Item) {
        let classic = matches!(item, Item::Pass(pass) if !pass.dynamic);
        if !classic && self.cut(3) == 2 {
            let secondary = self.allocate(vk::CommandBufferLevel::SECONDARY);
            let inheritance = vk::CommandBufferInheritanceInfo::default();
            self.secondary(secondary, vk::CommandBufferUsageFlags::empty(), &inheritance, |emit| match item {
                Item::Pass(pass) => emit.dynamic(secondary, pass, vk::RenderingFlags::empty(), &pass.commands),
                item => emit.plain(secondary, item),
            });
            let primary = self.primary();
            // SAFETY: a command buffer being recorded, an executable secondary.
            unsafe { self.app().vkCmdExecuteCommands(primary, 1, &secondary) };
            self.state.lose(primary);
            return;
        }
        match item {
            Item::Pass(pass) if pass.dynamic && self.cut(3) == 1 => self.suspended(pass),
            Item::Pass(pass) if self.cut(3) == 1 => self.with_secondaries(pass),
            Item::Pass(pass) if pass.dynamic => {
                let buffer = self.primary();
                self.dynamic(buffer, pass, vk::RenderingFlags::empty(), &pass.commands);
            }
            Item::Pass(pass) => {
                let buffer = self.primary();
                self.begin_classic(buffer, pass, vk::SubpassContents::INLINE);
                self.commands(buffer, pass, &pass.commands);
                // SAFETY: inside a render pass instance.
                unsafe { self.app().vkCmdEndRenderPass(buffer) };
            }
            item => {
                let buffer = self.primary();
                self.plain(buffer, item);
            }
        }
    }

    fn secondary(
        &mut self,
        buffer: CommandBuffer,
        flags: vk::CommandBufferUsageFlags,
        inheritance: &vk::CommandBufferInheritanceInfo<'_>,
        record: impl FnOnce(&mut Self),
    ) {
        let begin = vk::CommandBufferBeginInfo::default().flags(flags).inheritance_info(inheritance);
        // SAFETY: valid arguments.
        unsafe { self.app().vkBeginCommandBuffer(buffer, &begin).result().unwrap() };
        record(self);
        // SAFETY: it is being recorded.
        unsafe { self.app().vkEndCommandBuffer(buffer).result().unwrap() };
    }

    /// The commands of a pass, dealt out to pieces.
    fn pieces<'p>(&mut self, pass: &'p Pass) -> Vec<&'p [Inside]> {
        let mut pieces = Vec::new();
        let mut rest = pass.commands.as_slice();
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(1 + self.cut(rest.len() as u8) as usize);
            pieces.push(piece);
            rest = later;
        }
        pieces
    }

    /// A pass whose commands stand in secondaries.
    fn with_secondaries(&mut self, pass: &Pass) {
        let format = [self.colors[pass.image].format];
        let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default().color_attachment_formats(&format);
        let mut inheritance = vk::CommandBufferInheritanceInfo::default();
        if pass.dynamic {
            inheritance = inheritance.push_next(&mut rendering);
        } else {
            let (render_pass, _) = self.objects(pass);
            inheritance = inheritance.render_pass(render_pass);
        }
        let mut secondaries = Vec::new();
        for piece in self.pieces(pass) {
            let buffer = self.allocate(vk::CommandBufferLevel::SECONDARY);
            self.secondary(buffer, vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE, &inheritance, |emit| {
                emit.commands(buffer, pass, piece);
            });
            secondaries.push(buffer);
        }
        let buffer = self.primary();
        if pass.dynamic {
            self.begin_dynamic(buffer, pass, vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS);
        } else {
            self.begin_classic(buffer, pass, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS);
        }
        let (at_once, one_by_one) = secondaries.split_at(if self.cut(2) == 0 { secondaries.len() } else { 0 });
        // SAFETY: executable secondaries inside a pass that takes them.
        unsafe {
            if !at_once.is_empty() {
                self.app().vkCmdExecuteCommands(buffer, at_once.len() as u32, at_once.as_ptr());
            }
            for secondary in one_by_one {
                self.app().vkCmdExecuteCommands(buffer, 1, secondary);
            }
            if pass.dynamic {
                self.app().vkCmdEndRendering(buffer);
            } else {
                self.app().vkCmdEndRenderPass(buffer);
            }
        }
        if !secondaries.is_empty() {
            self.state.lose(buffer);
        }
    }

    /// A pass that is suspended and resumed, in one command buffer or over several of a batch.
    fn suspended(&mut self, pass: &Pass) {
        let pieces = self.pieces(pass);
        let last = pieces.len().saturating_sub(1);
        for (number, piece) in pieces.iter().enumerate() {
            let mut flags = vk::RenderingFlags::empty();
            flags |= if number > 0 { vk::RenderingFlags::RESUMING } else { flags };
            flags |= if number < last { vk::RenderingFlags::SUSPENDING } else { flags };
            let buffer = self.primary();
            self.dynamic(buffer, pass, flags, piece);
            if number < last && self.cut(2) == 1 {
                self.close();
            }
        }
        if pieces.is_empty() {
            let buffer = self.primary();
            self.dynamic(buffer, pass, vk::RenderingFlags::empty(), &[]);
        }
    }

    fn dynamic(&mut self, buffer: CommandBuffer, pass: &Pass, flags: vk::RenderingFlags, commands: &[Inside]) {
        self.begin_dynamic(buffer, pass, flags);
        self.commands(buffer, pass, commands);
        // SAFETY: inside a render pass instance.
        unsafe { self.app().vkCmdEndRendering(buffer) };
    }

    fn area(pass: &Pass) -> vk::Rect2D {
        let width = if pass.half { WIDTH / 2 } else { WIDTH };
        vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height: HEIGHT } }
    }

    fn begin_dynamic(&self, buffer: CommandBuffer, pass: &Pass, flags: vk::RenderingFlags) {
        let info = |image: &Image, ops: (vk::AttachmentLoadOp, vk::AttachmentStoreOp)| {
            vk::RenderingAttachmentInfo::default()
                .image_view(image.view)
                .image_layout(GENERAL)
                .load_op(ops.0)
                .store_op(ops.1)
        };
        let colors = [info(&self.colors[pass.image], pass.color)];
        let depth = pass.depth.map(|ops| info(&self.depth, ops));
        let mut begin = vk::RenderingInfo::default()
            .flags(flags)
            .render_area(Self::area(pass))
            .layer_count(1)
            .color_attachments(&colors);
        if let Some(depth) = &depth {
            begin = begin.depth_attachment(depth).stencil_attachment(depth);
        }
        // SAFETY: valid arguments.
        unsafe { self.app().vkCmdBeginRendering(buffer, &begin) };
    }

    fn objects(&self, pass: &Pass) -> (vk::RenderPass, vk::Framebuffer) {
        let mut attachments = vec![attachment(&self.colors[pass.image], pass.color.0, pass.color.1)];
        let mut images = vec![&self.colors[pass.image]];
        if let Some((load, store)) = pass.depth {
            attachments.push(attachment(&self.depth, load, store));
            images.push(&self.depth);
        }
        let render_pass = self.scene.render_pass(&attachments);
        (render_pass, self.scene.framebuffer(render_pass, &images))
    }

    fn begin_classic(&self, buffer: CommandBuffer, pass: &Pass, contents: vk::SubpassContents) {
        let (render_pass, framebuffer) = self.objects(pass);
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(render_pass)
            .framebuffer(framebuffer)
            .render_area(Self::area(pass));
        // SAFETY: valid arguments.
        unsafe { self.app().vkCmdBeginRenderPass(buffer, &begin, contents) };
    }

    fn commands(&mut self, buffer: CommandBuffer, pass: &Pass, commands: &[Inside]) {
        let app = self.app();
        for command in commands {
            match command {
                Inside::Change(change) => self.state.change(buffer, pass, *change),
                Inside::Draws(_) | Inside::Indirect => self.state.before_draw(buffer, pass),
                Inside::Clear(_) => {}
            }
            // SAFETY: inside a render pass instance.
            unsafe {
                match command {
                    Inside::Draws(count) => (0..*count).for_each(|_| app.vkCmdDraw(buffer, 3, 1, 0, 0)),
                    Inside::Indirect => app.vkCmdDrawIndirect(buffer, self.buffer, 0, 1, 16),
                    Inside::Change(_) => {}
                    Inside::Clear(whole) => {
                        let mut rect = Self::area(pass);
                        if !whole {
                            rect.extent.width /= 2;
                        }
                        let clear = vk::ClearAttachment::default().aspect_mask(vk::ImageAspectFlags::COLOR);
                        let rect = vk::ClearRect { rect, base_array_layer: 0, layer_count: 1 };
                        app.vkCmdClearAttachments(buffer, 1, &clear, 1, &rect);
                    }
                }
            }
        }
    }

    fn plain(&mut self, buffer: CommandBuffer, item: &Item) {
        let app = self.app();
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        // SAFETY: outside render pass instances, valid arguments.
        unsafe {
            match item {
                Item::Clear(image) => {
                    let value = vk::ClearColorValue::default();
                    app.vkCmdClearColorImage(buffer, self.colors[*image].image, GENERAL, &value, 1, &range);
                }
                Item::Copy(from) => {
                    let layers =
                        vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
                    let extent = vk::Extent3D { width: WIDTH, height: HEIGHT, depth: 1 };
                    let copy = vk::ImageCopy::default().src_subresource(layers).dst_subresource(layers).extent(extent);
                    let (src, dst) = (self.colors[*from].image, self.colors[1 - *from].image);
                    app.vkCmdCopyImage(buffer, src, GENERAL, dst, GENERAL, 1, &copy);
                }
                Item::Fill => app.vkCmdFillBuffer(buffer, self.buffer, 0, 4096, 7),
                Item::Barrier(image, undefined) => {
                    let barrier = vk::ImageMemoryBarrier::default()
                        .old_layout(if *undefined { vk::ImageLayout::UNDEFINED } else { GENERAL })
                        .new_layout(GENERAL)
                        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                        .dst_access_mask(vk::AccessFlags::MEMORY_READ)
                        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                        .image(self.colors[*image].image)
                        .subresource_range(range);
                    let stage = vk::PipelineStageFlags::ALL_COMMANDS;
                    let flags = vk::DependencyFlags::empty();
                    app.vkCmdPipelineBarrier(buffer, stage, stage, flags, 0, ptr::null(), 0, ptr::null(), 1, &barrier);
                }
                Item::Dispatch(pipeline) => {
                    self.state.before_dispatch(buffer, *pipeline);
                    app.vkCmdDispatch(buffer, 1, 1, 1);
                }
                Item::Pass(_) | Item::Label => {}
            }
        }
    }
}
