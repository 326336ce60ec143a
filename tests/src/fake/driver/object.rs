//! Non-dispatchable objects: every create gives a handle, every destroy takes it back.

use super::Driver;
use crate::fake::commands::Answer;
use ash::vk::{self, Handle};
use std::ffi::c_void;

/// Does nothing and answers with success.
pub(crate) fn plain<A, R: Answer>(_: &'static Driver, _: A) -> R {
    R::plain()
}

/// vkCreate…, vkAllocateMemory: parent, info, allocator, out.
pub(crate) fn create<P, I, A, H: vk::Handle>(
    driver: &'static Driver,
    (_, _, _, out): (P, *const I, *const A, *mut H),
) -> vk::Result {
    // SAFETY: the specification demands a valid pointer to a handle.
    unsafe { out.write(H::from_raw(driver.value(H::TYPE))) };
    vk::Result::SUCCESS
}

/// vkDestroy…, vkFreeMemory: parent, handle, allocator.
pub(crate) fn destroy<P, A, H: vk::Handle + Copy>(driver: &'static Driver, (_, handle, _): (P, H, *const A)) {
    driver.release(H::TYPE, handle.as_raw());
}

/// vkAllocateDescriptorSets.
pub(crate) fn allocate_sets(
    driver: &'static Driver,
    (_, info, out): (vk::Device, *const vk::DescriptorSetAllocateInfo<'_>, *mut vk::DescriptorSet),
) -> vk::Result {
    // SAFETY: the specification demands a valid info.
    let count = unsafe { (*info).descriptor_set_count } as usize;
    for index in 0..count {
        let value = driver.value(vk::ObjectType::DESCRIPTOR_SET);
        // SAFETY: the specification demands an array of so many handles.
        unsafe { out.add(index).write(vk::Handle::from_raw(value)) };
    }
    vk::Result::SUCCESS
}

/// vkCreateGraphicsPipelines and vkCreateComputePipelines.
#[allow(clippy::type_complexity)]
pub(crate) fn create_pipelines<I, A>(
    driver: &'static Driver,
    (_, _, count, _, _, out): (vk::Device, vk::PipelineCache, u32, *const I, *const A, *mut vk::Pipeline),
) -> vk::Result {
    create_several(driver, count, out)
}

/// vkCreateShadersEXT.
#[allow(clippy::type_complexity)]
pub(crate) fn create_shaders<I, A>(
    driver: &'static Driver,
    (_, count, _, _, out): (vk::Device, u32, *const I, *const A, *mut vk::ShaderEXT),
) -> vk::Result {
    create_several(driver, count, out)
}

/// Makes several objects. Where a test has asked for it, some of them fail: their handles are null, and the others are good.
fn create_several<H: vk::Handle>(driver: &'static Driver, count: u32, out: *mut H) -> vk::Result {
    let (result, failing) = driver.partial().unwrap_or((vk::Result::SUCCESS, Vec::new()));
    for index in 0..count {
        let value = if failing.contains(&index) { 0 } else { driver.value(H::TYPE) };
        // SAFETY: the specification demands an array of `count` handles.
        unsafe { out.add(index as usize).write(H::from_raw(value)) };
    }
    result
}

/// vkMapMemory: 64 KiB that stay mapped.
pub(crate) fn map_memory(
    _: &'static Driver,
    (_, _, _, _, _, out): (vk::Device, vk::DeviceMemory, u64, u64, vk::MemoryMapFlags, *mut *mut c_void),
) -> vk::Result {
    let memory = Box::leak(vec![0u8; 65536].into_boxed_slice());
    // SAFETY: the specification demands a valid pointer to a pointer.
    unsafe { out.write(memory.as_mut_ptr().cast()) };
    vk::Result::SUCCESS
}

/// vkAllocateMemory.
pub(crate) fn allocate_memory<A>(
    driver: &'static Driver,
    (device, info, allocator, out): (vk::Device, *const vk::MemoryAllocateInfo<'_>, *const A, *mut vk::DeviceMemory),
) -> vk::Result {
    let result = create(driver, (device, info, allocator, out));
    // SAFETY: the specification demands valid pointers; the handle was just written.
    let (memory, kind) = unsafe { ((*out).as_raw(), (*info).memory_type_index) };
    driver.state().memory.insert(memory, kind);
    result
}

/// What the fake driver says that it has committed for any lazily allocated memory.
pub const COMMITTED: u64 = 4096;

/// vkGetDeviceMemoryCommitment.
pub(crate) fn memory_commitment(
    driver: &'static Driver,
    (_, memory, out): (vk::Device, vk::DeviceMemory, *mut vk::DeviceSize),
) {
    let kind = driver.state().memory.get(&memory.as_raw()).copied();
    // A program whose allocation has failed asks about no memory at all: its fault, not the layer's.
    if let Some(kind) = kind.filter(|kind| *kind != 2) {
        driver.fault(format!("vkGetDeviceMemoryCommitment: the memory type {kind} is not lazily allocated"));
    }
    // SAFETY: the specification demands a valid pointer.
    unsafe { out.write(COMMITTED) };
}

fn requirements(driver: &'static Driver, out: *mut vk::MemoryRequirements) {
    let memory_type_bits = driver.options.memory_type_bits;
    // SAFETY: the specification demands a valid pointer.
    unsafe { out.write(vk::MemoryRequirements { size: 65536, alignment: 256, memory_type_bits }) };
}

/// vkGetDeviceImageMemoryRequirements.
pub(crate) fn future_image_requirements(
    driver: &'static Driver,
    (_, _, out): (vk::Device, *const vk::DeviceImageMemoryRequirements<'_>, *mut vk::MemoryRequirements2<'_>),
) {
    // SAFETY: the specification demands a valid pointer.
    requirements(driver, unsafe { &raw mut (*out).memory_requirements });
}

/// vkGetImageMemoryRequirements.
pub(crate) fn image_requirements(
    driver: &'static Driver,
    (_, _, out): (vk::Device, vk::Image, *mut vk::MemoryRequirements),
) {
    requirements(driver, out);
}

/// vkGetImageMemoryRequirements2.
pub(crate) fn image_requirements2(
    driver: &'static Driver,
    (_, _, out): (vk::Device, *const vk::ImageMemoryRequirementsInfo2<'_>, *mut vk::MemoryRequirements2<'_>),
) {
    // SAFETY: the specification demands a valid pointer.
    requirements(driver, unsafe { &raw mut (*out).memory_requirements });
}

/// vkGetImageSubresourceLayout2: every image is compressed at a fixed rate of two bits per component, where the application asks.
#[allow(clippy::type_complexity)]
pub(crate) fn subresource_layout2(
    _: &'static Driver,
    (_, _, _, out): (vk::Device, vk::Image, *const vk::ImageSubresource2KHR<'_>, *mut vk::SubresourceLayout2KHR<'_>),
) {
    // SAFETY: the specification demands a valid struct with a valid chain.
    unsafe {
        let mut next = (*out).p_next.cast::<vk::BaseOutStructure<'_>>();
        while let Some(item) = next.as_mut() {
            if item.s_type == vk::StructureType::IMAGE_COMPRESSION_PROPERTIES_EXT {
                let found = &mut *next.cast::<vk::ImageCompressionPropertiesEXT<'_>>();
                found.image_compression_flags = vk::ImageCompressionFlagsEXT::FIXED_RATE_DEFAULT;
                found.image_compression_fixed_rate_flags = vk::ImageCompressionFixedRateFlagsEXT::TYPE_2BPC;
            }
            next = item.p_next;
        }
    }
}

/// vkGetBufferMemoryRequirements.
pub(crate) fn buffer_requirements(
    driver: &'static Driver,
    (_, _, out): (vk::Device, vk::Buffer, *mut vk::MemoryRequirements),
) {
    requirements(driver, out);
}
