//! An image with its memory and a view of the whole of it.

use crate::Error;
use crate::error::Named;
use crate::gpu::Gpu;
use crate::owned::Owned;
use crate::size::Size;
use ash::vk;

/// What an image shall be.
#[derive(Clone, Copy, Debug)]
pub struct ImageInfo<'a> {
    /// Its name for whoever looks on.
    pub name: &'a str,
    /// Size in pixels.
    pub size: Size,
    /// Format.
    pub format: vk::Format,
    /// Aspects of the view: all that the format has.
    pub aspects: vk::ImageAspectFlags,
    /// Samples per pixel.
    pub samples: vk::SampleCountFlags,
    /// How it is used.
    pub usage: vk::ImageUsageFlags,
    /// VkImageCreateFlags.
    pub flags: vk::ImageCreateFlags,
}

impl<'a> ImageInfo<'a> {
    /// A colour image with one sample.
    pub fn colour(name: &'a str, size: Size, format: vk::Format, usage: vk::ImageUsageFlags) -> Self {
        Self {
            name,
            size,
            format,
            aspects: vk::ImageAspectFlags::COLOR,
            samples: vk::SampleCountFlags::TYPE_1,
            usage: usage | vk::ImageUsageFlags::COLOR_ATTACHMENT,
            flags: vk::ImageCreateFlags::empty(),
        }
    }

    /// A depth image of 32 bits with one sample.
    pub fn depth(name: &'a str, size: Size, usage: vk::ImageUsageFlags) -> Self {
        Self {
            format: vk::Format::D32_SFLOAT,
            aspects: vk::ImageAspectFlags::DEPTH,
            usage: usage | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            ..Self::colour(name, size, vk::Format::UNDEFINED, usage)
        }
    }
}

/// A two-dimensional image with one layer.
pub struct Image<'g> {
    // Dropped in this order: the view, the image, the memory.
    view: Owned<'g, vk::ImageView>,
    image: Owned<'g, vk::Image>,
    _memory: Owned<'g, vk::DeviceMemory>,
    aspects: vk::ImageAspectFlags,
    size: Size,
    format: vk::Format,
    samples: vk::SampleCountFlags,
    levels: u32,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
}

impl<'g> Image<'g> {
    /// Creates an image with one level, its memory and its view.
    pub fn new(gpu: &'g Gpu, wanted: &ImageInfo<'_>) -> Result<Self, Error> {
        Self::mipmapped(gpu, wanted, 1)
    }

    /// Creates an image with `levels` levels, its memory and its view.
    pub fn mipmapped(gpu: &'g Gpu, wanted: &ImageInfo<'_>, levels: u32) -> Result<Self, Error> {
        let info = vk::ImageCreateInfo::default()
            .flags(wanted.flags)
            .image_type(vk::ImageType::TYPE_2D)
            .format(wanted.format)
            .extent(wanted.size.extent_3d())
            .mip_levels(levels)
            .array_layers(1)
            .samples(wanted.samples)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(wanted.usage);
        // SAFETY: `info` is complete; the new image is handed to its guard at once.
        let image = unsafe {
            let image = gpu.device.create_image(&info, None).named("vkCreateImage")?;
            Owned::new(gpu, image, |d, h| d.destroy_image(h, None))
        };
        // SAFETY: the image is live.
        let requirements = unsafe { gpu.device.get_image_memory_requirements(image.get()) };
        // What never leaves the chip needs no memory, on devices that can do without.
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let transient = wanted.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
        let preferred = if transient { vk::MemoryPropertyFlags::LAZILY_ALLOCATED } else { local };
        let memory = gpu.memory(requirements, preferred, local, vk::MemoryAllocateFlags::empty())?;
        // SAFETY: the memory is as large and of a type as the image requires, and bound for the first time.
        unsafe { gpu.device.bind_image_memory(image.get(), memory.get(), 0) }.named("vkBindImageMemory")?;
        let range = vk::ImageSubresourceRange {
            aspect_mask: wanted.aspects,
            level_count: levels,
            layer_count: 1,
            ..Default::default()
        };
        let view = gpu.image_view(
            &vk::ImageViewCreateInfo::default()
                .image(image.get())
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(wanted.format)
                .subresource_range(range),
        )?;
        gpu.name_object(image.get(), wanted.name)?;
        let ImageInfo { aspects, size, format, samples, usage, flags, .. } = *wanted;
        Ok(Self { view, image, _memory: memory, aspects, size, format, samples, levels, usage, flags })
    }

    /// The image.
    pub fn image(&self) -> vk::Image {
        self.image.get()
    }

    /// The view of the whole image.
    pub fn view(&self) -> vk::ImageView {
        self.view.get()
    }

    /// A view of one level and some aspects.
    pub fn view_of(
        &self,
        gpu: &'g Gpu,
        aspects: vk::ImageAspectFlags,
        level: u32,
    ) -> Result<Owned<'g, vk::ImageView>, Error> {
        let range = vk::ImageSubresourceRange {
            aspect_mask: aspects,
            base_mip_level: level,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        gpu.image_view(
            &vk::ImageViewCreateInfo::default()
                .image(self.image())
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(self.format)
                .subresource_range(range),
        )
    }

    /// The aspects of the view.
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        self.aspects
    }

    /// The format.
    pub fn format(&self) -> vk::Format {
        self.format
    }

    /// Samples per pixel.
    pub fn samples(&self) -> vk::SampleCountFlags {
        self.samples
    }

    /// The whole image.
    pub fn range(&self) -> vk::ImageSubresourceRange {
        let (aspect_mask, level_count) = (self.aspects, self.levels);
        vk::ImageSubresourceRange { aspect_mask, level_count, layer_count: 1, ..Default::default() }
    }

    /// What a framebuffer without images knows of this one.
    pub fn attachment_info(&self) -> vk::FramebufferAttachmentImageInfo<'_> {
        vk::FramebufferAttachmentImageInfo::default()
            .flags(self.flags)
            .usage(self.usage)
            .width(self.size.width)
            .height(self.size.height)
            .layer_count(1)
            .view_formats(std::slice::from_ref(&self.format))
    }

    /// A barrier over the whole image between two layouts, with the accesses of the source and the destination.
    pub fn barrier(
        &self,
        layouts: [vk::ImageLayout; 2],
        accesses: [vk::AccessFlags; 2],
    ) -> vk::ImageMemoryBarrier<'static> {
        vk::ImageMemoryBarrier::default()
            .image(self.image())
            .subresource_range(self.range())
            .old_layout(layouts[0])
            .new_layout(layouts[1])
            .src_access_mask(accesses[0])
            .dst_access_mask(accesses[1])
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
    }
}
