//! What is known of the application's objects. Facts of creation are immutable and shared; names and memory come later and
//! sit behind a lock that only their setters and the analysis take.

use super::binding::{MemoryBlock, Place, least_bytes};
use super::descriptors::{DescriptorPool, PipelineLayout, Set, SetLayout, Taken, Template};
use super::pipeline::Pipeline;
use super::recording::PassTemplate;
use super::registry::{HandleSet, Registry};
use super::rendering_tiles::RenderingTiles;
use super::static_use::StaticUse;
use parking_lot::{Mutex, MutexGuard};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tbdr_model::frame::{self, DriverTile, Format, ImageCompression, Memory, SubresourceRange};
use tbdr_model::units::Extent2D;

/// A debug name that may be set at any time.
#[derive(Default)]
pub struct Named(Mutex<Option<Arc<str>>>);

impl Named {
    /// Sets or removes the name; an empty name is none.
    pub fn set(&self, name: Option<&str>) {
        *self.0.lock() = name.filter(|n| !n.is_empty()).map(Arc::from);
    }

    /// The name.
    pub fn get(&self) -> Option<String> {
        self.0.lock().as_deref().map(String::from)
    }
}

/// What a driver answered, which may be asked at any time.
#[derive(Default)]
pub struct Told(Mutex<Option<DriverTile>>);

impl Told {
    /// The driver answered.
    pub fn set(&self, tile: DriverTile) {
        *self.0.lock() = Some(tile);
    }

    /// The newest answer.
    pub fn get(&self) -> Option<DriverTile> {
        *self.0.lock()
    }
}

/// What the driver says of the memory that an image needs.
#[derive(Clone, Copy, Default)]
pub struct Needs {
    /// Size in bytes.
    pub bytes: u64,
    /// memoryTypeBits.
    pub types: u32,
}

/// A VkImage.
pub struct Image {
    /// Number of the image on its device, in order of creation: its identity in captures.
    pub serial: u64,
    /// As created; name and memory are filled in by [`Image::describe`].
    pub created: frame::Image,
    /// Memory, once bound.
    pub memory: Mutex<Memory>,
    /// Which bytes of it.
    pub place: Place,
    /// Debug name.
    pub name: Named,
    /// Bytes that it takes, and each of its planes, as far as the application asked: 0 where it did not.
    sizes: [AtomicU64; 4],
    lazy_offered: OnceLock<bool>,
    reached_unseen: AtomicBool,
    driver_compression: OnceLock<Option<ImageCompression>>,
}

impl Image {
    /// An image that was just created.
    pub fn new(serial: u64, created: frame::Image) -> Self {
        Self {
            serial,
            created,
            memory: Mutex::default(),
            place: Place::default(),
            name: Named::default(),
            sizes: Default::default(),
            lazy_offered: OnceLock::new(),
            reached_unseen: AtomicBool::new(false),
            driver_compression: OnceLock::new(),
        }
    }

    /// The image with the name and the memory it has now.
    pub fn describe(&self) -> frame::Image {
        let mut image = self.created.clone();
        image.name = self.name.get();
        image.memory = join(&image.memory, &self.memory.lock());
        image.memory.lazy_offered = self.lazy_offered.get().copied();
        image.reached_unseen |= self.reached_unseen.load(Ordering::Relaxed);
        image.driver_compression = self.driver_compression.get().copied().flatten();
        image
    }

    /// The driver said what the image needs, or plane `plane` - 1 of it. `lazy_types` are the lazily allocated types of the device.
    pub fn needs(&self, plane: u32, needs: Needs, lazy_types: Option<u32>) {
        if let Some(size) = self.sizes.get(plane as usize) {
            size.store(needs.bytes, Ordering::Relaxed);
        }
        if let Some(lazy) = lazy_types.filter(|_| plane == 0) {
            self.lazy_offered.get_or_init(|| needs.types & lazy != 0);
        }
    }

    /// The device has no lazily allocated memory at all.
    pub fn never_lazy(&self) {
        self.lazy_offered.get_or_init(|| false);
    }

    /// How many bytes it takes at least.
    pub fn bytes(&self, plane: u32) -> u64 {
        match self.sizes.get(plane as usize).map_or(0, |size| size.load(Ordering::Relaxed)) {
            0 if plane == 0 => least_bytes(&self.created),
            known => known,
        }
    }

    /// From now on something may read or write it that no command names.
    pub fn reach_unseen(&self) {
        self.reached_unseen.store(true, Ordering::Relaxed);
    }

    /// Asks the driver for the image's compression, once.
    pub fn ask_compression(&self, ask: impl FnOnce() -> Option<ImageCompression>) {
        self.driver_compression.get_or_init(ask);
    }

    /// Resolves VK_REMAINING_* against the image. The layers of a volume whose slices can be viewed are the slices of the first level.
    pub fn resolve(&self, mut range: SubresourceRange) -> SubresourceRange {
        if range.mips == frame::REMAINING {
            range.mips = self.created.mips.saturating_sub(range.base_mip);
        }
        if range.layers == frame::REMAINING {
            let slices = self.created.dimension == VOLUME && self.created.flags & ARRAY_COMPATIBLE != 0;
            let all = if slices { self.created.extent.mip(range.base_mip).depth } else { self.created.layers };
            range.layers = all.saturating_sub(range.base_layer);
        }
        range
    }
}

/// VK_IMAGE_TYPE_3D.
const VOLUME: u32 = 2;
/// VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT.
const ARRAY_COMPATIBLE: u32 = 0x20;

/// A VkBuffer.
pub struct Buffer {
    /// Number of the buffer on its device, in order of creation.
    pub serial: u64,
    /// As created; name and memory are filled in by [`Buffer::describe`].
    pub created: frame::Buffer,
    /// Memory, once bound.
    pub memory: Mutex<Memory>,
    /// Which bytes of it.
    pub place: Place,
    /// Debug name.
    pub name: Named,
}

impl Buffer {
    /// The buffer with the name and the memory it has now.
    pub fn describe(&self) -> frame::Buffer {
        let mut buffer = self.created.clone();
        buffer.name = self.name.get();
        buffer.memory = join(&buffer.memory, &self.memory.lock());
        buffer
    }
}

/// What creation and binding say of the memory together.
fn join(created: &Memory, bound: &Memory) -> Memory {
    Memory {
        properties: bound.properties,
        external: bound.external || created.external,
        aliased: bound.aliased || created.aliased,
        on_chip: bound.on_chip || created.on_chip,
        ..Memory::default()
    }
}

/// A VkImageView.
pub struct View {
    /// The image it shows.
    pub image: Arc<Image>,
    /// The part it shows, resolved.
    pub range: SubresourceRange,
    /// Format of the view.
    pub format: Format,
}

/// A VkRenderPass.
pub struct RenderPass {
    /// Attachments, subpasses and dependencies.
    pub template: Arc<PassTemplate>,
    /// Debug name.
    pub name: Arc<Named>,
}

/// A VkFramebuffer.
pub struct Framebuffer {
    /// Views, one per attachment; empty for an imageless framebuffer.
    pub views: Vec<Option<Arc<View>>>,
    /// Size.
    pub extent: Extent2D,
    /// Layers.
    pub layers: u32,
    /// The driver's tile.
    pub tile: Arc<Told>,
    /// Debug name.
    pub name: Arc<Named>,
}

/// A VkCommandPool.
#[derive(Default)]
pub struct Pool {
    /// Handles of its command buffers.
    pub buffers: Mutex<HandleSet>,
}

/// A VkSwapchainKHR.
pub struct Swapchain {
    /// Number of the role it plays: a swapchain that replaces another inherits its number.
    pub number: u32,
    /// Description of its images.
    pub image: frame::Image,
    slots: Mutex<Vec<Slot>>,
}

/// An image of a swapchain.
struct Slot {
    /// Its handle; 0 until vkGetSwapchainImagesKHR has told it.
    handle: u64,
    image: Arc<Image>,
}

/// Most images of a swapchain: an index beyond is no index.
const MOST_SWAPCHAIN_IMAGES: usize = 1024;

impl Swapchain {
    /// A swapchain of which no image is known yet.
    pub fn new(number: u32, image: frame::Image) -> Self {
        Self { number, image, slots: Mutex::default() }
    }

    /// The image with this index. It may be acquired, presented and bound to others before its handle is known.
    pub fn image(&self, index: u32, objects: &Objects) -> Option<Arc<Image>> {
        let index = index as usize;
        (index < MOST_SWAPCHAIN_IMAGES).then(|| Arc::clone(&self.slots_up_to(index, objects)[index].image))
    }

    /// vkGetSwapchainImagesKHR told the handles of the first images.
    pub fn told(&self, handles: impl Iterator<Item = u64>, objects: &Objects) {
        for (index, handle) in handles.take(MOST_SWAPCHAIN_IMAGES).enumerate() {
            let slot = &mut self.slots_up_to(index, objects)[index];
            if slot.handle != handle {
                slot.handle = handle;
                objects.images.insert(handle, Arc::clone(&slot.image));
            }
        }
    }

    /// Handles of the images, as far as they were told.
    pub fn handles(&self) -> Vec<u64> {
        self.slots.lock().iter().map(|slot| slot.handle).collect()
    }

    /// Serial numbers of the images, as far as there was a use for them.
    pub fn serials(&self) -> impl Iterator<Item = u64> {
        self.slots.lock().iter().map(|slot| slot.image.serial).collect::<Vec<_>>().into_iter()
    }

    fn slots_up_to(&self, index: usize, objects: &Objects) -> MutexGuard<'_, Vec<Slot>> {
        let mut slots = self.slots.lock();
        while slots.len() <= index {
            let image = Image::new(objects.next_serial(), self.image.clone());
            slots.push(Slot { handle: 0, image: Arc::new(image) });
        }
        slots
    }
}

/// What images would need that the application asked for before making them (vkGetDeviceImageMemoryRequirements): the answer is the same for
/// every image of the same create info.
#[derive(Default)]
pub struct Foreseen(Mutex<ByCreation>);

type ByCreation = HashMap<frame::Image, Vec<(u32, Needs)>, BuildHasherDefault<DefaultHasher>>;

/// Kinds of images of which answers are kept.
const MOST_FORESEEN: usize = 1024;

impl Foreseen {
    /// The driver said what an image made like this, or plane `plane` - 1 of it, needs.
    pub fn set(&self, created: frame::Image, plane: u32, needs: Needs) {
        let mut known = self.0.lock();
        if known.len() < MOST_FORESEEN || known.contains_key(&created) {
            let planes = known.entry(created).or_default();
            if planes.iter().all(|(known, _)| *known != plane) {
                planes.push((plane, needs));
            }
        }
    }

    /// What is known of an image made like this, by plane.
    pub fn of(&self, created: &frame::Image) -> Vec<(u32, Needs)> {
        self.0.lock().get(created).cloned().unwrap_or_default()
    }
}

/// The live objects of a device.
#[derive(Default)]
pub struct Objects {
    /// VkImage.
    pub images: Registry<Arc<Image>>,
    /// VkImageView.
    pub views: Registry<Arc<View>>,
    /// VkBuffer.
    pub buffers: Registry<Arc<Buffer>>,
    /// VkDeviceMemory.
    pub memory: Registry<Arc<MemoryBlock>>,
    /// VkRenderPass.
    pub render_passes: Registry<Arc<RenderPass>>,
    /// VkFramebuffer.
    pub framebuffers: Registry<Arc<Framebuffer>>,
    /// VkPipeline, as far as they are graphics or compute pipelines.
    pub pipelines: Registry<Arc<Pipeline>>,
    /// VkShaderEXT, as what they reach.
    pub shaders: Registry<Arc<StaticUse>>,
    /// VkShaderModule, as what its entry points statically use.
    pub shader_modules: Registry<Arc<tilelens_spirv::Module>>,
    /// VkDescriptorSetLayout.
    pub set_layouts: Registry<Arc<SetLayout>>,
    /// VkPipelineLayout.
    pub pipeline_layouts: Registry<Arc<PipelineLayout>>,
    /// VkDescriptorPool.
    pub descriptor_pools: Registry<Arc<DescriptorPool>>,
    /// VkDescriptorSet.
    pub sets: Registry<Arc<Set>>,
    /// VkDescriptorUpdateTemplate.
    pub templates: Registry<Arc<Template>>,
    /// Image views whose descriptors the application keeps in memory.
    pub taken: Taken,
    /// VkCommandPool.
    pub pools: Registry<Arc<Pool>>,
    /// VkSwapchainKHR.
    pub swapchains: Registry<Arc<Swapchain>>,
    /// VkEvent: a number that no other object has.
    pub events: Registry<u64>,
    /// Whether shaders may read attachments of dynamic rendering though nothing in its commands says so (VK_EXT_shader_tile_image, or
    /// VK_KHR_dynamic_rendering_local_read in VK_IMAGE_LAYOUT_GENERAL).
    pub reads_undeclared: AtomicBool,
    /// What drivers say of dynamic rendering.
    pub rendering_tiles: RenderingTiles,
    /// What the driver says of images before they are made.
    pub foreseen: Foreseen,
    serial: AtomicU64,
    /// How many live swapchains play each role.
    swapchain_roles: Mutex<BTreeMap<u32, u32>>,
}

impl Objects {
    /// A number that no other image, buffer or descriptor set of the device has.
    pub fn next_serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::Relaxed)
    }

    /// The role number of a swapchain that replaces another, or else the first that no live swapchain has: a program that makes its
    /// swapchain anew plays the same role with it.
    pub fn swapchain_role(&self, replaced: Option<u32>) -> u32 {
        let mut roles = self.swapchain_roles.lock();
        let role = replaced.unwrap_or_else(|| (0..).find(|role| !roles.contains_key(role)).unwrap_or_default());
        *roles.entry(role).or_default() += 1;
        role
    }

    /// A swapchain of this role is gone.
    pub fn swapchain_gone(&self, role: u32) {
        let mut roles = self.swapchain_roles.lock();
        if let Some(count) = roles.get_mut(&role) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                roles.remove(&role);
            }
        }
    }
}
