//! Commands and structs of Vulkan that the headers in use do not have yet, as far as hooks read them. Members that nobody here looks at
//! keep their place in the layout.

use super::draw::StridedDeviceAddressRange;
use ash::vk;
use std::ffi::c_void;

/// A command of a command buffer with one pointer, which is not looked at or whose struct is declared here.
pub type CmdInfo = unsafe extern "system" fn(vk::CommandBuffer, *const c_void);
/// A command of a command buffer with a number and a pointer: vkCmdConvertCooperativeVectorMatrixNV.
pub type CmdCountInfo = unsafe extern "system" fn(vk::CommandBuffer, u32, *const c_void);
/// vkCmdDecompressMemoryIndirectCountEXT.
pub type CmdDecompressIndirect =
    unsafe extern "system" fn(vk::CommandBuffer, u64, vk::DeviceAddress, vk::DeviceAddress, u32, u32);
/// vkCmdOpticalFlowExecuteNV.
pub type CmdOpticalFlow = unsafe extern "system" fn(vk::CommandBuffer, vk::OpticalFlowSessionNV, *const c_void);
/// vkCmdCopyGpaSessionResultsAMD.
pub type CmdHandle = unsafe extern "system" fn(vk::CommandBuffer, u64);
/// vkCmdUpdateMemoryKHR.
pub type CmdUpdateMemory =
    unsafe extern "system" fn(vk::CommandBuffer, *const DeviceAddressRange, u32, vk::DeviceSize, *const c_void);
/// vkCmdFillMemoryKHR.
pub type CmdFillMemory = unsafe extern "system" fn(vk::CommandBuffer, *const DeviceAddressRange, u32, u32);
/// vkCmdCopyQueryPoolResultsToMemoryKHR.
pub type CmdCopyQueryResultsToMemory = unsafe extern "system" fn(
    vk::CommandBuffer,
    vk::QueryPool,
    u32,
    u32,
    *const StridedDeviceAddressRange,
    u32,
    vk::QueryResultFlags,
);

/// VkDeviceAddressRangeKHR.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DeviceAddressRange {
    /// First byte.
    pub address: vk::DeviceAddress,
    /// Bytes.
    pub size: vk::DeviceSize,
}

/// VkDeviceMemoryCopyKHR.
#[repr(C)]
pub struct DeviceMemoryCopy {
    s_type: vk::StructureType,
    p_next: *const c_void,
    /// Bytes read.
    pub src: DeviceAddressRange,
    src_flags: u32,
    /// Bytes written.
    pub dst: DeviceAddressRange,
    dst_flags: u32,
}

/// VkCopyDeviceMemoryInfoKHR.
#[repr(C)]
pub struct CopyDeviceMemoryInfo {
    s_type: vk::StructureType,
    p_next: *const c_void,
    /// Number of regions.
    pub region_count: u32,
    /// Regions.
    pub regions: *const DeviceMemoryCopy,
}

/// VkDeviceMemoryImageCopyKHR.
#[repr(C)]
pub struct DeviceMemoryImageCopy {
    s_type: vk::StructureType,
    p_next: *const c_void,
    range: DeviceAddressRange,
    flags: u32,
    row_length: u32,
    image_height: u32,
    /// Mip level and layers.
    pub image_subresource: vk::ImageSubresourceLayers,
    image_layout: vk::ImageLayout,
    /// First texel.
    pub image_offset: vk::Offset3D,
    /// Texels.
    pub image_extent: vk::Extent3D,
}

/// VkCopyDeviceMemoryImageInfoKHR.
#[repr(C)]
pub struct CopyDeviceMemoryImageInfo {
    s_type: vk::StructureType,
    p_next: *const c_void,
    /// The image.
    pub image: vk::Image,
    /// Number of regions.
    pub region_count: u32,
    /// Regions.
    pub regions: *const DeviceMemoryImageCopy,
}

/// VkCopyMemoryToImageIndirectInfoKHR.
#[repr(C)]
pub struct CopyMemoryToImageIndirectInfo {
    s_type: vk::StructureType,
    p_next: *const c_void,
    flags: u32,
    /// Number of copies.
    pub copy_count: u32,
    range: StridedDeviceAddressRange,
    /// The image written.
    pub dst_image: vk::Image,
    dst_layout: vk::ImageLayout,
    /// Mip level and layers of each copy.
    pub subresources: *const vk::ImageSubresourceLayers,
}

/// VkMemoryMarkerInfoAMD is written by the GPU as one word.
pub const MARKER_BYTES: u64 = 4;

/// VkVideoEncodeQuantizationMapInfoKHR.
#[repr(C)]
pub struct VideoEncodeQuantizationMapInfo {
    s_type: vk::StructureType,
    p_next: *const c_void,
    /// View of the map.
    pub quantization_map: vk::ImageView,
    extent: vk::Extent2D,
}

// SAFETY: the sType is the registry's for this struct, whose layout is the one above.
unsafe impl vk::TaggedStructure for VideoEncodeQuantizationMapInfo {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1_000_553_002);
}

/// VkImageUsageFlags2CreateInfoKHR, VkImageCreateFlags2CreateInfoKHR and VkImageStencilUsage2CreateInfoKHR: 64 flags in the place of 32.
#[repr(C)]
pub struct Flags2<const S_TYPE: i32> {
    s_type: vk::StructureType,
    p_next: *const c_void,
    /// The flags.
    pub flags: u64,
}

// SAFETY: the three structs have this layout and the sTypes of the aliases below.
unsafe impl<const S_TYPE: i32> vk::TaggedStructure for Flags2<S_TYPE> {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(S_TYPE);
}

/// VkImageCreateFlags2CreateInfoKHR.
pub type ImageCreateFlags2 = Flags2<1_000_668_001>;
/// VkImageUsageFlags2CreateInfoKHR.
pub type ImageUsageFlags2 = Flags2<1_000_668_002>;
/// VkImageStencilUsage2CreateInfoKHR.
pub type ImageStencilUsage2 = Flags2<1_000_668_005>;

/// Whether a VkExternalFormatANDROID, VkExternalFormatQNX or VkExternalFormatOHOS names a format.
///
/// # Safety
/// `item` is one of the three.
pub unsafe fn is_external_format(item: &vk::BaseInStructure<'_>) -> bool {
    // SAFETY: by the caller's promise; the three have the same layout, a 64-bit format behind the head.
    unsafe { (*std::ptr::from_ref(item).cast::<vk::ExternalFormatANDROID<'_>>()).external_format != 0 }
}

/// Kinds of memory import and of external images whose sTypes are newer than the headers, or never in them.
pub mod external {
    use super::vk::StructureType;

    /// VK_STRUCTURE_TYPE_IMPORT_MEMORY_METAL_HANDLE_INFO_EXT.
    pub const IMPORT_MEMORY_METAL_HANDLE: StructureType = StructureType::from_raw(1_000_602_000);
    /// VK_STRUCTURE_TYPE_IMPORT_NATIVE_BUFFER_INFO_OHOS.
    pub const IMPORT_NATIVE_BUFFER_OHOS: StructureType = StructureType::from_raw(1_000_452_003);
    /// VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_OHOS.
    pub const EXTERNAL_FORMAT_OHOS: StructureType = StructureType::from_raw(1_000_452_005);
    /// VK_STRUCTURE_TYPE_NATIVE_BUFFER_OHOS.
    pub const NATIVE_BUFFER_OHOS: StructureType = StructureType::from_raw(1_000_453_001);
    /// VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID.
    pub const NATIVE_BUFFER_ANDROID: StructureType = StructureType::from_raw(1_000_010_000);
}
