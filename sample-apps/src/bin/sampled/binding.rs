//! The ways to name an image to a shader: a set, a push descriptor, a descriptor in a buffer, an element of an array.

use crate::options::Bind;
use ash::{ext, khr, vk};
use tilelens_samples::Error;
use tilelens_samples::buffer::Buffer;
use tilelens_samples::error::Named;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::owned::Owned;
use vk::BufferUsageFlags as Usage;
use vk::DescriptorSetLayoutCreateFlags as LayoutFlags;

/// Elements of the array.
const ELEMENTS: u32 = 8;
const KIND: vk::DescriptorType = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;
/// What a buffer of descriptors of this kind is used as.
const OF_DESCRIPTORS: Usage =
    Usage::from_raw(Usage::RESOURCE_DESCRIPTOR_BUFFER_EXT.as_raw() | Usage::SAMPLER_DESCRIPTOR_BUFFER_EXT.as_raw());

/// One image at binding 0 of set 0 of the fragment shader.
pub struct Binding<'g> {
    gpu: &'g Gpu,
    image: vk::DescriptorImageInfo,
    way: Way<'g>,
    pipeline_layout: Owned<'g, vk::PipelineLayout>,
    _set_layout: Owned<'g, vk::DescriptorSetLayout>,
}

enum Way<'g> {
    Set(Pooled<'g>),
    Push(khr::push_descriptor::Device),
    Buffer(ext::descriptor_buffer::Device, Buffer<'g>),
    /// The set's elements are written late.
    Array(Pooled<'g>),
}

/// A set and the pool that frees it.
struct Pooled<'g> {
    set: vk::DescriptorSet,
    _pool: Owned<'g, vk::DescriptorPool>,
}

impl<'g> Binding<'g> {
    /// Names `image` in the way `bind`.
    pub fn new(gpu: &'g Gpu, bind: Bind, image: vk::DescriptorImageInfo) -> Result<Self, Error> {
        let set_layout = set_layout(gpu, bind)?;
        let layouts = [set_layout.get()];
        let pushed = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 4 }];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        if bind == Bind::Bindless {
            info = info.push_constant_ranges(&pushed);
        }
        let pipeline_layout = gpu.pipeline_layout(&info)?;
        let way = match bind {
            Bind::Set => Way::Set(allocate(gpu, &layouts, 1, vk::DescriptorPoolCreateFlags::empty())?),
            Bind::Push => Way::Push(gpu.commands(khr::push_descriptor::Device::new)),
            Bind::Buffer => {
                let commands = gpu.commands(ext::descriptor_buffer::Device::new);
                let buffer = descriptor_buffer(gpu, &commands, set_layout.get(), &image)?;
                Way::Buffer(commands, buffer)
            }
            Bind::Bindless => {
                let flags = vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND;
                Way::Array(allocate(gpu, &layouts, ELEMENTS, flags)?)
            }
        };
        let binding = Self { gpu, image, way, pipeline_layout, _set_layout: set_layout };
        if let Way::Set(pooled) = &binding.way {
            binding.write(pooled.set, 0);
        }
        Ok(binding)
    }

    /// The layout for pipelines that read the image.
    pub fn pipeline_layout(&self) -> vk::PipelineLayout {
        self.pipeline_layout.get()
    }

    /// What pipelines need to read descriptors in this way.
    pub fn pipeline_flags(&self) -> vk::PipelineCreateFlags {
        match &self.way {
            Way::Buffer(..) => vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT,
            Way::Set(..) | Way::Push(_) | Way::Array(..) => vk::PipelineCreateFlags::empty(),
        }
    }

    /// Records the binding for frame `frame`.
    pub fn bind(&self, commands: vk::CommandBuffer, frame: u32) {
        let device = &self.gpu.device;
        let layout = self.pipeline_layout.get();
        let images = [self.image];
        // SAFETY: the command buffer is being recorded, and all objects are live and of this layout.
        unsafe {
            match &self.way {
                Way::Set(pooled) => device.cmd_bind_descriptor_sets(commands, GRAPHICS, layout, 0, &[pooled.set], &[]),
                Way::Push(push) => {
                    let write = vk::WriteDescriptorSet::default().descriptor_type(KIND).image_info(&images);
                    push.cmd_push_descriptor_set(commands, GRAPHICS, layout, 0, &[write]);
                }
                Way::Buffer(descriptors, buffer) => {
                    let bound =
                        vk::DescriptorBufferBindingInfoEXT::default().address(buffer.address()).usage(OF_DESCRIPTORS);
                    descriptors.cmd_bind_descriptor_buffers(commands, &[bound]);
                    descriptors.cmd_set_descriptor_buffer_offsets(commands, GRAPHICS, layout, 0, &[0], &[0]);
                }
                Way::Array(pooled) => {
                    device.cmd_bind_descriptor_sets(commands, GRAPHICS, layout, 0, &[pooled.set], &[]);
                    let element = element(frame).to_ne_bytes();
                    device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::FRAGMENT, 0, &element);
                }
            }
        }
    }

    /// Does what may be done only after frame `frame` was recorded: an element of an array is written when the set is bound already.
    pub fn complete(&self, frame: u32) {
        if let Way::Array(pooled) = &self.way {
            self.write(pooled.set, element(frame));
        }
    }

    fn write(&self, set: vk::DescriptorSet, element: u32) {
        let images = [self.image];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_array_element(element)
            .descriptor_type(KIND)
            .image_info(&images);
        // SAFETY: the set is in no submission; if it is in a command buffer, it may be updated there. View and sampler are live.
        unsafe { self.gpu.device.update_descriptor_sets(&[write], &[]) };
    }
}

/// The element that frame `frame` reads.
fn element(frame: u32) -> u32 {
    // Not the same one in neighbouring frames, and never element 0 first.
    (frame * 3 + 5) % ELEMENTS
}

fn set_layout(gpu: &Gpu, bind: Bind) -> Result<Owned<'_, vk::DescriptorSetLayout>, Error> {
    let binding = vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(KIND)
        .descriptor_count(if bind == Bind::Bindless { ELEMENTS } else { 1 })
        .stage_flags(vk::ShaderStageFlags::FRAGMENT);
    let bindings = [binding];
    let late = [vk::DescriptorBindingFlags::UPDATE_AFTER_BIND | vk::DescriptorBindingFlags::PARTIALLY_BOUND];
    let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&late);
    let mut info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).flags(match bind {
        Bind::Set => LayoutFlags::empty(),
        Bind::Push => LayoutFlags::PUSH_DESCRIPTOR_KHR,
        Bind::Buffer => LayoutFlags::DESCRIPTOR_BUFFER_EXT,
        Bind::Bindless => LayoutFlags::UPDATE_AFTER_BIND_POOL,
    });
    if bind == Bind::Bindless {
        info = info.push_next(&mut flags);
    }
    // SAFETY: `info` borrows all it points to; the new object is handed to its guard at once.
    unsafe {
        let layout = gpu.device.create_descriptor_set_layout(&info, None).named("vkCreateDescriptorSetLayout")?;
        Ok(Owned::new(gpu, layout, |d, h| d.destroy_descriptor_set_layout(h, None)))
    }
}

/// A pool and its only set, of `count` descriptors.
fn allocate<'g>(
    gpu: &'g Gpu,
    layouts: &[vk::DescriptorSetLayout; 1],
    count: u32,
    flags: vk::DescriptorPoolCreateFlags,
) -> Result<Pooled<'g>, Error> {
    let sizes = [vk::DescriptorPoolSize { ty: KIND, descriptor_count: count }];
    let info = vk::DescriptorPoolCreateInfo::default().flags(flags).max_sets(1).pool_sizes(&sizes);
    // SAFETY: the structs borrow all they point to; the new pool is handed to its guard at once and has room for exactly this set.
    unsafe {
        let pool = gpu.device.create_descriptor_pool(&info, None).named("vkCreateDescriptorPool")?;
        let pool = Owned::new(gpu, pool, |d, h| d.destroy_descriptor_pool(h, None));
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool.get()).set_layouts(layouts);
        let sets = gpu.device.allocate_descriptor_sets(&info).named("vkAllocateDescriptorSets")?;
        Ok(Pooled { set: sets[0], _pool: pool })
    }
}

/// A buffer with the descriptor of `image` where `layout` has it.
fn descriptor_buffer<'g>(
    gpu: &'g Gpu,
    commands: &ext::descriptor_buffer::Device,
    layout: vk::DescriptorSetLayout,
    image: &vk::DescriptorImageInfo,
) -> Result<Buffer<'g>, Error> {
    let sizes: vk::PhysicalDeviceDescriptorBufferPropertiesEXT<'_> = gpu.properties();
    let data = vk::DescriptorDataEXT { p_combined_image_sampler: image };
    let info = vk::DescriptorGetInfoEXT::default().ty(KIND).data(data);
    let mut descriptor = vec![0; sizes.combined_image_sampler_descriptor_size];
    // SAFETY: the layout is live and made for descriptor buffers; `descriptor` has the size that the device has told.
    let (size, offset) = unsafe {
        commands.get_descriptor(&info, &mut descriptor);
        (commands.get_descriptor_set_layout_size(layout), commands.get_descriptor_set_layout_binding_offset(layout, 0))
    };
    let mut bytes = vec![0; size as usize];
    bytes[offset as usize..][..descriptor.len()].copy_from_slice(&descriptor);
    Buffer::with_data(gpu, "descriptors", &bytes, OF_DESCRIPTORS | Usage::SHADER_DEVICE_ADDRESS)
}
