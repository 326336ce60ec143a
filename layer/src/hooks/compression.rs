//! What the driver that really runs makes of the compression of an attachment: asked once per image, and only where the application has
//! enabled VK_EXT_image_compression_control itself, so that the question is one that it could ask.

use crate::abi::find;
use crate::dispatch::devices::Device;
use crate::dispatch::typed;
use crate::record::Image;
use ash::vk;
use std::ffi::CStr;
use tbdr_model::frame::{Aspects, ImageCompression, usage};

/// The query, for images that the application makes and for those of swapchains.
#[derive(Clone, Copy, Default)]
pub struct CompressionQuery {
    function: Option<vk::PFN_vkGetImageSubresourceLayout2KHR>,
    images: bool,
    swapchains: bool,
}

impl CompressionQuery {
    /// What a device with these features can be asked.
    ///
    /// # Safety
    /// `info` is the argument of a vkCreateDevice that has succeeded, and `get` answers a name with the function of that name.
    pub unsafe fn new(info: &vk::DeviceCreateInfo<'_>, get: &dyn Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Self {
        // SAFETY: by the caller's promise; the names are those of one command, whose type is the one below.
        unsafe {
            let images = find::<vk::PhysicalDeviceImageCompressionControlFeaturesEXT<'_>>(info.p_next)
                .is_some_and(|f| f.image_compression_control != vk::FALSE);
            let swapchains = find::<vk::PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT<'_>>(info.p_next)
                .is_some_and(|f| f.image_compression_control_swapchain != vk::FALSE);
            if !images {
                return Self::default();
            }
            let names = [
                c"vkGetImageSubresourceLayout2",
                c"vkGetImageSubresourceLayout2KHR",
                c"vkGetImageSubresourceLayout2EXT",
            ];
            Self { function: typed(names.into_iter().find_map(get)), images, swapchains }
        }
    }
}

/// Usages of images that a pass can render to or resolve into.
const ATTACHMENT: u32 = usage::COLOR_ATTACHMENT | usage::DEPTH_STENCIL_ATTACHMENT;

/// Asks for the compression of an attachment image, the first time only.
///
/// # Safety
/// `handle` is live.
pub unsafe fn ask(device: &Device, handle: vk::Image, image: &Image) {
    let query = device.compression;
    let wanted = if image.created.swapchain.is_some() { query.swapchains } else { query.images };
    let Some(function) = query.function.filter(|_| wanted && image.created.usage & ATTACHMENT != 0) else { return };
    let aspects = tbdr_model::format::info(image.created.format).map_or(Aspects::COLOR, |info| info.aspects());
    let aspect = [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL].into_iter().find(|a| aspects.contains(*a));
    image.ask_compression(|| {
        let aspect_mask = vk::ImageAspectFlags::from_raw(aspect?.0);
        let subresource = vk::ImageSubresource2KHR::default().image_subresource(vk::ImageSubresource {
            aspect_mask,
            mip_level: 0,
            array_layer: 0,
        });
        let mut found = vk::ImageCompressionPropertiesEXT::default();
        let mut layout = vk::SubresourceLayout2KHR::default().push_next(&mut found);
        // SAFETY: by the caller's promise; a read-only query that the application enabled.
        unsafe { function(device.handle, handle, &raw const subresource, &raw mut layout) };
        Some(ImageCompression {
            flags: found.image_compression_flags.as_raw(),
            fixed_rates: found.image_compression_fixed_rate_flags.as_raw(),
        })
    });
}
