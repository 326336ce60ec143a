//! Structs of copies of memory by its address, which the headers in use do not have yet, as an application fills them in. Layouts are those of the registry.

use ash::vk;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;

/// VkDeviceAddressRangeKHR.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AddressRange {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
}

/// VkStridedDeviceAddressRangeKHR.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StridedAddressRange {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes from one item to the next.
    pub stride: u64,
}

/// VkDeviceMemoryCopyKHR.
#[repr(C)]
pub struct DeviceMemoryCopy(i32, *const c_void, AddressRange, u32, AddressRange, u32);

impl DeviceMemoryCopy {
    /// A copy between two ranges.
    pub fn new(src: AddressRange, dst: AddressRange) -> Self {
        Self(0, ptr::null(), src, 0, dst, 0)
    }
}

/// VkDeviceMemoryImageCopyKHR.
#[repr(C)]
pub struct DeviceMemoryImageCopy(
    i32,
    *const c_void,
    AddressRange,
    u32,
    u32,
    u32,
    vk::ImageSubresourceLayers,
    vk::ImageLayout,
    vk::Offset3D,
    vk::Extent3D,
);

impl DeviceMemoryImageCopy {
    /// A copy of texels from the origin on.
    pub fn new(range: AddressRange, layers: vk::ImageSubresourceLayers, extent: vk::Extent3D) -> Self {
        Self(0, ptr::null(), range, 0, 0, 0, layers, vk::ImageLayout::GENERAL, vk::Offset3D::default(), extent)
    }
}

/// VkCopyDeviceMemoryInfoKHR.
#[repr(C)]
pub struct CopyDeviceMemoryInfo<'a>(i32, *const c_void, u32, *const DeviceMemoryCopy, PhantomData<&'a ()>);

impl<'a> CopyDeviceMemoryInfo<'a> {
    /// A copy of these regions.
    pub fn new(regions: &'a [DeviceMemoryCopy]) -> Self {
        Self(0, ptr::null(), regions.len() as u32, regions.as_ptr(), PhantomData)
    }

    /// As the argument of a command.
    pub fn as_ptr(&self) -> *const c_void {
        ptr::from_ref(self).cast()
    }
}

/// VkCopyDeviceMemoryImageInfoKHR.
#[repr(C)]
pub struct CopyDeviceMemoryImageInfo<'a>(
    i32,
    *const c_void,
    vk::Image,
    u32,
    *const DeviceMemoryImageCopy,
    PhantomData<&'a ()>,
);

impl<'a> CopyDeviceMemoryImageInfo<'a> {
    /// A copy of these regions of an image.
    pub fn new(image: vk::Image, regions: &'a [DeviceMemoryImageCopy]) -> Self {
        Self(0, ptr::null(), image, regions.len() as u32, regions.as_ptr(), PhantomData)
    }

    /// As the argument of a command.
    pub fn as_ptr(&self) -> *const c_void {
        ptr::from_ref(self).cast()
    }
}

/// VkCopyMemoryToImageIndirectInfoKHR.
#[repr(C)]
pub struct CopyMemoryToImageIndirectInfo<'a>(
    i32,
    *const c_void,
    u32,
    u32,
    StridedAddressRange,
    vk::Image,
    vk::ImageLayout,
    *const vk::ImageSubresourceLayers,
    PhantomData<&'a ()>,
);

impl<'a> CopyMemoryToImageIndirectInfo<'a> {
    /// One copy to each of these subresources, whose regions lie in memory.
    pub fn new(image: vk::Image, subresources: &'a [vk::ImageSubresourceLayers]) -> Self {
        let range = StridedAddressRange { address: 0x1000, size: 64, stride: 64 };
        let count = subresources.len() as u32;
        let layout = vk::ImageLayout::GENERAL;
        Self(0, ptr::null(), 0, count, range, image, layout, subresources.as_ptr(), PhantomData)
    }

    /// As the argument of a command.
    pub fn as_ptr(&self) -> *const c_void {
        ptr::from_ref(self).cast()
    }
}
