//! A buffer that the host reads and writes.

use crate::Error;
use crate::error::Named;
use crate::gpu::Gpu;
use crate::owned::Owned;
use ash::vk;

/// A host-visible, host-coherent buffer.
pub struct Buffer<'g> {
    gpu: &'g Gpu,
    // Dropped in this order: the buffer, then its memory.
    buffer: Owned<'g, vk::Buffer>,
    memory: Owned<'g, vk::DeviceMemory>,
    bytes: usize,
}

impl<'g> Buffer<'g> {
    /// A buffer of `bytes` bytes, which must not be zero.
    pub fn new(gpu: &'g Gpu, name: &str, bytes: usize, usage: vk::BufferUsageFlags) -> Result<Self, Error> {
        let info = vk::BufferCreateInfo::default().size(bytes as u64).usage(usage);
        // SAFETY: `info` is complete; the new buffer is handed to its guard at once.
        let buffer = unsafe {
            let buffer = gpu.device.create_buffer(&info, None).named("vkCreateBuffer")?;
            Owned::new(gpu, buffer, |d, h| d.destroy_buffer(h, None))
        };
        // SAFETY: the buffer is live.
        let requirements = unsafe { gpu.device.get_buffer_memory_requirements(buffer.get()) };
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let flags = if usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
            vk::MemoryAllocateFlags::DEVICE_ADDRESS
        } else {
            vk::MemoryAllocateFlags::empty()
        };
        let memory = gpu.memory(requirements, wanted, wanted, flags)?;
        // SAFETY: the memory is as large and of a type as the buffer requires, and bound for the first time.
        unsafe { gpu.device.bind_buffer_memory(buffer.get(), memory.get(), 0) }.named("vkBindBufferMemory")?;
        gpu.name_object(buffer.get(), name)?;
        Ok(Self { gpu, buffer, memory, bytes })
    }

    /// A buffer that holds `data`.
    pub fn with_data(gpu: &'g Gpu, name: &str, data: &[u8], usage: vk::BufferUsageFlags) -> Result<Self, Error> {
        let buffer = Self::new(gpu, name, data.len(), usage)?;
        buffer.mapped(|bytes| bytes.copy_from_slice(data))?;
        Ok(buffer)
    }

    /// The buffer.
    pub fn get(&self) -> vk::Buffer {
        self.buffer.get()
    }

    /// The address of a buffer with SHADER_DEVICE_ADDRESS usage.
    pub fn address(&self) -> vk::DeviceAddress {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.buffer.get());
        // SAFETY: the buffer is live and bound to memory.
        unsafe { self.gpu.device.get_buffer_device_address(&info) }
    }

    /// A copy of the contents. Whatever wrote them on the device must have been waited for.
    pub fn read(&self) -> Result<Vec<u8>, Error> {
        self.mapped(|bytes| bytes.to_vec())
    }

    fn mapped<R>(&self, work: impl FnOnce(&mut [u8]) -> R) -> Result<R, Error> {
        let device = &self.gpu.device;
        // SAFETY: the memory is host-visible and not mapped: it is unmapped again below, and this type is not shared between threads.
        let at = unsafe { device.map_memory(self.memory.get(), 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) }
            .named("vkMapMemory")?;
        // SAFETY: the mapping is at least `bytes` long, the bytes are plain data, and no submission is in flight.
        let result = work(unsafe { std::slice::from_raw_parts_mut(at.cast::<u8>(), self.bytes) });
        // SAFETY: it was mapped above and the slice is gone.
        unsafe { device.unmap_memory(self.memory.get()) };
        Ok(result)
    }
}
