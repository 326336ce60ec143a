//! The recording of one command buffer, frozen at vkEndCommandBuffer and shared by its submissions.
//!
//! Images and buffers are numbered per recording ([`ImageRef`], [`BufferRef`] index `images` and `buffers`); the analysis
//! renumbers them per frame.

use super::descriptors::{Contents, Late, Reached, Set};
use super::objects::{Buffer, Image, Named, Told};
use super::registry::HandleMap;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use tbdr_model::frame::{
    Attachment, AttachmentUse, Barrier, BufferRef, ClearAttachment, Dependency, DrawFacts, DriverMerging, EventOp,
    EventRef, ImageRef, Pass, ShaderAccess, Subpass, SubresourceRange, TileShading, Transfer,
};
use tbdr_model::record::Counters;
use tbdr_model::units::{Extent2D, Rect2D};

/// What a render pass says before any image is known.
#[derive(Default)]
pub struct PassTemplate {
    /// Attachments without images.
    pub attachments: Vec<Attachment>,
    /// Subpasses without activity.
    pub subpasses: Vec<Subpass>,
    /// Dependencies.
    pub dependencies: Vec<Dependency>,
    /// Fragment density map.
    pub density_map: Option<AttachmentUse>,
    /// Whether its subpasses must not be merged.
    pub disallow_merging: bool,
    /// Bytes of tile memory set aside.
    pub tile_memory: u64,
    /// Tile shading.
    pub tile_shading: Option<TileShading>,
    /// Chained structs that are not modelled.
    pub unmodelled: Vec<String>,
    /// What the driver said of merging.
    pub driver_merging: Option<DriverMerging>,
}

impl PassTemplate {
    /// The pass as it would run with every subpass drawing, in a framebuffer of one layer that its render area covers and of which no image
    /// is known.
    pub fn unbound(&self) -> Pass {
        /// No decision about merging rests on the size, as long as there is one.
        const EXTENT: Extent2D = Extent2D::new(1920, 1080);
        let drawn = |subpass: &Subpass| Subpass { drawn: true, ..subpass.clone() };
        Pass {
            render_area: Rect2D { extent: EXTENT, ..Rect2D::default() },
            extent: EXTENT,
            layers: 1,
            attachments: self.attachments.clone(),
            subpasses: self.subpasses.iter().map(drawn).collect(),
            dependencies: self.dependencies.clone(),
            density_map: self.density_map,
            disallow_merging: self.disallow_merging,
            tile_memory: self.tile_memory,
            tile_shading: self.tile_shading,
            ..Pass::default()
        }
    }
}

/// What ran in one subpass, or in a secondary command buffer that continues one.
#[derive(Default)]
pub struct Activity {
    /// Draws, and dispatches of tile shading.
    pub counters: Counters,
    /// vkCmdClearAttachments.
    pub clears: Vec<ClearAttachment>,
    /// Barriers.
    pub barriers: Vec<Barrier>,
    /// State of the draws; meaningless without a draw.
    pub draws: DrawFacts,
    /// What the shaders of the draws reach; meaningless without a draw.
    pub shader: ShaderAccess,
    /// What they reach through descriptors that are read at submission.
    pub late: Vec<Late>,
}

impl Activity {
    /// Whether any draw ran.
    pub fn drawn(&self) -> bool {
        self.counters.draws.saturating_add(self.counters.indirect_draws) > 0
    }

    /// Adds what ran after it. `shader` and `barriers` of `later` are numbered as this activity is.
    pub fn append(&mut self, later: Activity) {
        let drawn = self.drawn();
        self.clears
            .extend(later.clears.iter().cloned().map(|c| ClearAttachment { after_draw: c.after_draw || drawn, ..c }));
        match (drawn, later.drawn()) {
            (_, false) => {}
            (false, true) => (self.draws, self.shader, self.late) = (later.draws, later.shader, later.late),
            (true, true) => {
                self.draws.merge(later.draws);
                self.shader.merge(later.shader);
                let known: HashSet<Late> = self.late.iter().copied().collect();
                self.late.extend(later.late.into_iter().filter(|late| !known.contains(late)));
            }
        }
        self.barriers.extend(later.barriers);
        add(&mut self.counters, later.counters);
    }

    /// The same activity with other numbers for its images, buffers and events; counters and clears are taken over.
    pub fn renumbered(
        &self,
        mut image: impl FnMut(ImageRef) -> Option<ImageRef>,
        mut buffer: impl FnMut(BufferRef) -> Option<BufferRef>,
        mut event: impl FnMut(EventRef) -> Option<EventRef>,
    ) -> Activity {
        let barriers = self.barriers.iter().map(|b| renumber_barrier(b, &mut image, &mut buffer, &mut event)).collect();
        Activity {
            counters: self.counters,
            clears: self.clears.clone(),
            barriers,
            draws: self.draws,
            shader: renumber_shader(&self.shader, image),
            late: self.late.clone(),
        }
    }
}

/// The same barrier with other numbers.
pub fn renumber_barrier(
    barrier: &Barrier,
    mut image: impl FnMut(ImageRef) -> Option<ImageRef>,
    mut buffer: impl FnMut(BufferRef) -> Option<BufferRef>,
    event: impl FnMut(EventRef) -> Option<EventRef>,
) -> Barrier {
    let mut barrier = barrier.clone();
    barrier.events = barrier.events.into_iter().filter_map(event).collect();
    for item in &mut barrier.images {
        item.image = item.image.and_then(&mut image);
    }
    for item in &mut barrier.buffers {
        item.buffer = item.buffer.and_then(&mut buffer);
    }
    barrier
}

/// The same images with other numbers.
pub fn renumber_shader(shader: &ShaderAccess, mut image: impl FnMut(ImageRef) -> Option<ImageRef>) -> ShaderAccess {
    let mut shader = shader.clone();
    for access in &mut shader.images {
        access.image = access.image.and_then(&mut image);
    }
    shader
}

/// The image behind an attachment.
#[derive(Clone, Copy)]
pub struct AttachmentView {
    /// Number in the recording.
    pub image: ImageRef,
    /// The part that the view shows.
    pub range: SubresourceRange,
}

/// A render pass instance.
pub struct PassEvent {
    /// The render pass, or what vkCmdBeginRendering gave.
    pub template: Arc<PassTemplate>,
    /// Debug name of the render pass, then of the framebuffer.
    pub names: [Option<Arc<Named>>; 2],
    /// Label regions open in the command buffer.
    pub labels: Vec<Arc<str>>,
    /// Whether vkCmdBeginRendering began it.
    pub dynamic: bool,
    /// VK_RENDERING_RESUMING_BIT.
    pub resuming: bool,
    /// VK_RENDERING_SUSPENDING_BIT.
    pub suspending: bool,
    /// Render area.
    pub render_area: Rect2D,
    /// Framebuffer size.
    pub extent: Extent2D,
    /// Framebuffer layers.
    pub layers: u32,
    /// Render areas of the views, where they have their own.
    pub view_areas: Vec<Rect2D>,
    /// The tile that the driver names for it, if the application asks for it before or after.
    pub tile: Option<Arc<Told>>,
    /// The views, one per attachment of the template.
    pub views: Vec<Option<AttachmentView>>,
    /// Activity per subpass reached.
    pub subpasses: Vec<Activity>,
}

/// One event outside render passes.
pub enum Event {
    /// A render pass instance.
    Pass(Box<PassEvent>),
    /// A transfer command with the label regions around it.
    Transfer(Box<Transfer>, Vec<Arc<str>>),
    /// A barrier: its index in [`Recording::barriers`].
    Barrier(u32),
    /// An event is set or reset.
    Signal(EventOp),
    /// One or more dispatches.
    Dispatch(Box<Reached>),
    /// Work that is not modelled: its command and what it reaches.
    Opaque(&'static str, Box<ShaderAccess>),
    /// Secondary command buffers executed outside a pass, with the label regions around them.
    Execute(Vec<Arc<Recording>>, Vec<Arc<str>>),
    /// A label region that an earlier command buffer opened ends.
    LabelEnd,
}

/// What a command buffer does.
#[derive(Default)]
pub struct Recording {
    /// Images, in order of first use.
    pub images: Vec<Arc<Image>>,
    /// Buffers, in order of first use.
    pub buffers: Vec<Arc<Buffer>>,
    /// Descriptor sets whose contents at submission count, here and in secondaries, in order of first use.
    pub sets: Vec<Arc<Set>>,
    /// Events, in order.
    pub events: Vec<Event>,
    /// Barriers outside passes: side by side, so that one more takes no memory of its own.
    pub barriers: Vec<Barrier>,
    /// Numbers of the VkEvents, in order of first use.
    pub device_events: Vec<u64>,
    /// Labels inserted or begun, where a setting asks for them.
    pub marks: Vec<Arc<str>>,
    /// Counters outside passes.
    pub outside: Counters,
    /// What a secondary adds to the subpass it continues.
    pub continued: Activity,
    /// Label regions still open at the end.
    pub open_labels: Vec<Arc<str>>,
    /// Commands and structs seen and not modelled.
    pub unmodelled: BTreeSet<String>,
    /// Number of operations, secondaries included.
    pub ops: u64,
    image_numbers: HandleMap<u32>,
    buffer_numbers: HandleMap<u32>,
    set_numbers: HandleMap<u32>,
}

impl Recording {
    /// The number of an image in this recording.
    pub fn image(&mut self, image: &Arc<Image>) -> ImageRef {
        ImageRef(number(&mut self.images, &mut self.image_numbers, image.serial, image))
    }

    /// The number of a buffer in this recording.
    pub fn buffer(&mut self, buffer: &Arc<Buffer>) -> BufferRef {
        BufferRef(number(&mut self.buffers, &mut self.buffer_numbers, buffer.serial, buffer))
    }

    /// The number of a descriptor set whose contents at submission count.
    pub fn set(&mut self, set: &Arc<Set>) -> u32 {
        number(&mut self.sets, &mut self.set_numbers, set.serial, set)
    }

    /// Adds what its descriptor sets hold now.
    pub fn contents(&self, contents: &mut Contents) {
        for set in &self.sets {
            contents.entry(set.serial).or_insert_with(|| set.slots());
        }
    }

    /// The number of a VkEvent in this recording. A command buffer uses few.
    pub fn device_event(&mut self, serial: u64) -> EventRef {
        EventRef(event_number(&mut self.device_events, serial))
    }

    /// Appends an event.
    pub fn push(&mut self, event: Event) {
        self.ops = self.ops.saturating_add(1);
        self.events.push(event);
    }

    /// Notes something that is seen and not modelled.
    pub fn unmodelled(&mut self, what: &str) {
        if !self.unmodelled.contains(what) {
            self.unmodelled.insert(what.into());
        }
    }

    /// Takes over what another recording does in a subpass, renumbered.
    pub fn adopt(&mut self, activity: &Activity, from: &Recording) -> Activity {
        let (images, image_numbers) = (&mut self.images, &mut self.image_numbers);
        let (buffers, buffer_numbers) = (&mut self.buffers, &mut self.buffer_numbers);
        let device_events = &mut self.device_events;
        let mut adopted = activity.renumbered(
            |i| from.images.get(i.0 as usize).map(|i| ImageRef(number(images, image_numbers, i.serial, i))),
            |b| from.buffers.get(b.0 as usize).map(|b| BufferRef(number(buffers, buffer_numbers, b.serial, b))),
            |e| from.device_events.get(e.0 as usize).map(|e| EventRef(event_number(device_events, *e))),
        );
        for late in &mut adopted.late {
            late.set = from.sets.get(late.set as usize).map_or(u32::MAX, |set| self.set(set));
        }
        adopted
    }
}

/// The number of a VkEvent in a list, which gets it if it is new.
pub fn event_number(events: &mut Vec<u64>, serial: u64) -> u32 {
    let known = events.iter().position(|known| *known == serial);
    known.unwrap_or_else(|| {
        events.push(serial);
        events.len() - 1
    }) as u32
}

/// The number of an item in a list, which gets it if it is new.
fn number<T>(items: &mut Vec<Arc<T>>, numbers: &mut HandleMap<u32>, serial: u64, item: &Arc<T>) -> u32 {
    *numbers.entry(serial).or_insert_with(|| {
        items.push(Arc::clone(item));
        items.len() as u32 - 1
    })
}

/// Adds counters.
pub fn add(to: &mut Counters, from: Counters) {
    to.draws = to.draws.saturating_add(from.draws);
    to.indirect_draws = to.indirect_draws.saturating_add(from.indirect_draws);
    to.vertices = to.vertices.saturating_add(from.vertices);
    to.dispatches = to.dispatches.saturating_add(from.dispatches);
}
