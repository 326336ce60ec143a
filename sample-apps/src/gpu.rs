//! A headless device: instance, physical device, device and one queue that draws.

use crate::Error;
use crate::error::Named;
use crate::features::Feature;
use crate::image::ImageInfo;
use crate::messenger;
use ash::{ext, khr, vk};
use std::ffi::{CStr, CString};

/// What a sample wants of its device.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Index in vkEnumeratePhysicalDevices; by default the first software device, else the first.
    pub index: Option<usize>,
    /// What must be switched on.
    pub features: Vec<Feature>,
    /// Whether an extension with VK_ATTACHMENT_LOAD_OP_NONE is enabled.
    pub load_op_none: bool,
    /// Whether an extension with VK_ATTACHMENT_STORE_OP_NONE is enabled.
    pub store_op_none: bool,
    /// Whether the device must know Vulkan 1.2, which has vkCreateRenderPass2, resolves depth in the pass, and more.
    pub vulkan_1_2: bool,
    /// Whether a messenger of VK_EXT_debug_utils prints what it hears, also of the creation and the end of the instance.
    pub messages: bool,
}

/// The device of a sample.
pub struct Gpu {
    /// vkGetDeviceProcAddr and what it found.
    pub device: ash::Device,
    /// The queue, which draws and copies.
    pub queue: vk::Queue,
    /// Its family.
    pub family: u32,
    /// Memory types.
    pub memory: vk::PhysicalDeviceMemoryProperties,
    /// The commands of VK_KHR_dynamic_rendering, if it was wanted.
    pub dynamic: Option<khr::dynamic_rendering::Device>,
    /// Name of the physical device.
    pub name: String,
    debug_utils: Option<ext::debug_utils::Device>,
    physical: vk::PhysicalDevice,
    // Dropped last: the instance, then the loader that it came from.
    instance: Instance,
}

impl Gpu {
    /// Opens the device that `wanted` describes for the program `program`.
    pub fn open(program: &str, wanted: &Wanted) -> Result<Self, Error> {
        let instance = Instance::new(program, wanted.messages)?;
        let physical = instance.physical_device(wanted.index)?;
        // SAFETY: `physical` belongs to this live instance.
        let (properties, memory, families) = unsafe {
            (
                instance.raw.get_physical_device_properties(physical),
                instance.raw.get_physical_device_memory_properties(physical),
                instance.raw.get_physical_device_queue_family_properties(physical),
            )
        };
        let name = text(properties.device_name_as_c_str());
        let lacks = |what: &str| Error::Unsupported {
            device: name.clone(),
            what: what.into(),
            remedy: "take another device with --device INDEX".into(),
        };
        if wanted.vulkan_1_2 && properties.api_version < vk::API_VERSION_1_2 {
            return Err(lacks("Vulkan 1.2"));
        }
        let family = (0u32..)
            .zip(&families)
            .find_map(|(i, f)| f.queue_flags.contains(vk::QueueFlags::GRAPHICS).then_some(i))
            .ok_or_else(|| lacks("queue that draws"))?;

        let extensions = instance.device_extensions(physical)?;
        let enabled = choose_extensions(wanted, &|e| extensions.iter().any(|have| have.as_c_str() == e))
            .map_err(|e| lacks(&e))?;
        let pointers: Vec<_> = enabled.iter().map(|e| e.as_ptr()).collect();
        let dynamic = enabled.contains(&khr::dynamic_rendering::NAME);
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let core = vk::PhysicalDeviceFeatures::default()
            .shader_sampled_image_array_dynamic_indexing(wanted.features.contains(&Feature::Bindless));
        let mut structs: Vec<_> = wanted.features.iter().flat_map(|f| f.structs()).collect();
        if dynamic && !wanted.features.contains(&Feature::DynamicRendering) {
            structs.extend(Feature::DynamicRendering.structs());
        }
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&pointers)
            .enabled_features(&core);
        let info = structs.iter_mut().fold(info, |info, next| info.push_next(next.as_mut()));
        // SAFETY: `info` borrows all it points to; the extensions are among those that the device enumerates.
        let device = unsafe { instance.raw.create_device(physical, &info, None) }.named("vkCreateDevice")?;
        Ok(Self {
            // SAFETY: the family was asked for with one queue.
            queue: unsafe { device.get_device_queue(family, 0) },
            dynamic: dynamic.then(|| khr::dynamic_rendering::Device::new(&instance.raw, &device)),
            debug_utils: instance.debug_utils.then(|| ext::debug_utils::Device::new(&instance.raw, &device)),
            device,
            family,
            memory,
            name,
            physical,
            instance,
        })
    }

    /// The commands of an extension that was wanted: `load` is the constructor of their table.
    pub fn commands<T>(&self, load: impl FnOnce(&ash::Instance, &ash::Device) -> T) -> T {
        load(&self.instance.raw, &self.device)
    }

    /// Properties of the device that an extension or a newer version brings along.
    pub fn properties<T: vk::ExtendsPhysicalDeviceProperties2 + Default>(&self) -> T {
        let mut found = T::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut found);
        // SAFETY: `physical` belongs to this live instance; what is chained is known to the device by the caller's choice of `T`.
        unsafe { self.instance.raw.get_physical_device_properties2(self.physical, &mut all) };
        found
    }

    /// Features of the device that an extension or a newer version brings along.
    pub fn features<T: vk::ExtendsPhysicalDeviceFeatures2 + Default>(&self) -> T {
        let mut found = T::default();
        let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut found);
        // SAFETY: as for the properties.
        unsafe { self.instance.raw.get_physical_device_features2(self.physical, &mut all) };
        found
    }

    /// The error that the device lacks `what`.
    pub fn lacks(&self, what: impl Into<String>, remedy: &str) -> Error {
        Error::Unsupported { device: self.name.clone(), what: what.into(), remedy: remedy.into() }
    }

    /// Fails unless optimally tiled images of `format` have all of `features`.
    pub fn require_format(&self, format: vk::Format, features: vk::FormatFeatureFlags) -> Result<(), Error> {
        // SAFETY: `physical` belongs to this live instance.
        let have = unsafe { self.instance.raw.get_physical_device_format_properties(self.physical, format) };
        if have.optimal_tiling_features.contains(features) {
            Ok(())
        } else {
            Err(self.lacks(format!("format {format:?} with {features:?}"), "choose another format"))
        }
    }

    /// Fails unless the device can create images of the format, number of samples and usage of `wanted`.
    pub fn require_image(&self, wanted: &ImageInfo<'_>) -> Result<(), Error> {
        // SAFETY: `physical` belongs to this live instance.
        let found = unsafe {
            self.instance.raw.get_physical_device_image_format_properties(
                self.physical,
                wanted.format,
                vk::ImageType::TYPE_2D,
                vk::ImageTiling::OPTIMAL,
                wanted.usage,
                wanted.flags,
            )
        };
        match found {
            Ok(limits) if limits.sample_counts.contains(wanted.samples) => Ok(()),
            _ => {
                let what = format!("{:?} image with {:?}, {:?} samples", wanted.format, wanted.usage, wanted.samples);
                Err(self.lacks(what, "choose another format, usage or --samples"))
            }
        }
    }

    /// Fails unless `samples` is a number of samples that framebuffers with colour and depth may have.
    pub fn require_samples(&self, samples: vk::SampleCountFlags) -> Result<(), Error> {
        let limits = self.limits();
        let both = limits.framebuffer_color_sample_counts & limits.framebuffer_depth_sample_counts;
        if both.contains(samples) {
            Ok(())
        } else {
            Err(self.lacks(format!("framebuffer with {samples:?} samples"), "choose another --samples"))
        }
    }

    /// Fails unless depth images with `samples` samples can be read in shaders.
    pub fn require_sampled_depth(&self, samples: vk::SampleCountFlags) -> Result<(), Error> {
        if self.limits().sampled_image_depth_sample_counts.contains(samples) {
            Ok(())
        } else {
            Err(self
                .lacks(format!("depth image to read in shaders with {samples:?} samples"), "choose another --samples"))
        }
    }

    /// The limits of the device.
    pub fn limits(&self) -> vk::PhysicalDeviceLimits {
        // SAFETY: `physical` belongs to this live instance.
        unsafe { self.instance.raw.get_physical_device_properties(self.physical) }.limits
    }

    /// Names an object for whoever looks on (VK_EXT_debug_utils, where there is one).
    pub fn name_object<H: vk::Handle>(&self, handle: H, name: &str) -> Result<(), Error> {
        let Some(utils) = &self.debug_utils else { return Ok(()) };
        let name = c_string(name);
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        // SAFETY: the handle is a live object of this device.
        unsafe { utils.set_debug_utils_object_name(&info) }.named("vkSetDebugUtilsObjectNameEXT")
    }

    /// Opens a labelled section of a command buffer; the caller closes it with [`Gpu::end_label`].
    pub fn begin_label(&self, commands: vk::CommandBuffer, label: &str) {
        if let Some(utils) = &self.debug_utils {
            let label = c_string(label);
            let info = vk::DebugUtilsLabelEXT::default().label_name(&label).color([1.0; 4]);
            // SAFETY: the command buffer is being recorded.
            unsafe { utils.cmd_begin_debug_utils_label(commands, &info) }
        }
    }

    /// Closes the section that [`Gpu::begin_label`] has opened.
    pub fn end_label(&self, commands: vk::CommandBuffer) {
        if let Some(utils) = &self.debug_utils {
            // SAFETY: the command buffer is being recorded and a label is open.
            unsafe { utils.cmd_end_debug_utils_label(commands) }
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: every object of the device borrows this value, so all are gone.
        unsafe { self.device.destroy_device(None) }
    }
}

/// The device extensions that `wanted` needs, or the name of what is missing.
fn choose_extensions(wanted: &Wanted, has: &dyn Fn(&CStr) -> bool) -> Result<Vec<&'static CStr>, String> {
    // The KHR form is newer than the headers at hand, and equal to the EXT form.
    let op_none = [ext::load_store_op_none::NAME, c"VK_KHR_load_store_op_none"].into_iter().find(|e| has(e));
    let mut enabled: Vec<_> = wanted.features.iter().flat_map(|f| f.extensions()).copied().collect();
    if let Some(missing) = enabled.iter().find(|e| !has(e)) {
        return Err(missing.to_string_lossy().into_owned());
    }
    if wanted.load_op_none {
        enabled.push(op_none.ok_or("load op NONE (VK_EXT_load_store_op_none)")?);
    }
    // VK_KHR_dynamic_rendering brings the store op NONE along.
    if wanted.store_op_none && op_none.is_none() {
        if !has(khr::dynamic_rendering::NAME) {
            return Err("store op NONE".into());
        }
        if !enabled.contains(&khr::dynamic_rendering::NAME) {
            enabled.push(khr::dynamic_rendering::NAME);
        }
    } else if wanted.store_op_none && !wanted.load_op_none {
        enabled.extend(op_none);
    }
    Ok(enabled)
}

/// The instance and the loader that it came from.
struct Instance {
    raw: ash::Instance,
    debug_utils: bool,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    _loader: ash::Entry,
}

impl Instance {
    fn new(program: &str, messages: bool) -> Result<Self, Error> {
        // SAFETY: loading runs the loader's initialisers, which have no demands; `_loader` outlives the instance.
        let loader = unsafe { ash::Entry::load() }?;
        // SAFETY: no layer name is given, and the loader is live.
        let extensions = unsafe { loader.enumerate_instance_extension_properties(None) }
            .named("vkEnumerateInstanceExtensionProperties")?;
        let debug_utils = extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(ext::debug_utils::NAME));
        let enabled: Vec<_> = debug_utils.then_some(ext::debug_utils::NAME.as_ptr()).into_iter().collect();
        let program = c_string(program);
        let application = vk::ApplicationInfo::default()
            .application_name(&program)
            .engine_name(c"tilelens-samples")
            .api_version(vk::API_VERSION_1_2);
        let mut info =
            vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&enabled);
        let (mut chained, messages) = (messenger::info(), messages && debug_utils);
        if messages {
            info = info.push_next(&mut chained);
        }
        // SAFETY: `info` borrows all it points to.
        let raw = unsafe { loader.create_instance(&info, None) }.named("vkCreateInstance")?;
        let mut instance = Self { raw, debug_utils, messenger: None, _loader: loader };
        if messages {
            let utils = ext::debug_utils::Instance::new(&instance._loader, &instance.raw);
            // SAFETY: the extension is enabled.
            let made = unsafe { utils.create_debug_utils_messenger(&messenger::info(), None) };
            instance.messenger = Some((utils, made.named("vkCreateDebugUtilsMessengerEXT")?));
        }
        Ok(instance)
    }

    fn physical_device(&self, index: Option<usize>) -> Result<vk::PhysicalDevice, Error> {
        // SAFETY: the instance is live.
        let all = unsafe { self.raw.enumerate_physical_devices() }.named("vkEnumeratePhysicalDevices")?;
        let properties = |d: &&vk::PhysicalDevice| {
            // SAFETY: the device was enumerated from this live instance.
            unsafe { self.raw.get_physical_device_properties(**d) }
        };
        let found = match index {
            Some(index) => all.get(index),
            None => all.iter().find(|d| properties(d).device_type == vk::PhysicalDeviceType::CPU).or(all.first()),
        };
        found.copied().ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|d| text(properties(&d).device_name_as_c_str())).collect();
            Error::NoDevice(match (index, names.is_empty()) {
                (_, true) => "there is no Vulkan device: install a driver (Debian, Ubuntu: mesa-vulkan-drivers)".into(),
                (index, false) => {
                    format!(
                        "--device {}: there are only the devices 0 to {} ({})",
                        index.unwrap_or(0),
                        names.len() - 1,
                        names.join(", ")
                    )
                }
            })
        })
    }

    fn device_extensions(&self, physical: vk::PhysicalDevice) -> Result<Vec<CString>, Error> {
        // SAFETY: `physical` was enumerated from this live instance.
        let all = unsafe { self.raw.enumerate_device_extension_properties(physical) }
            .named("vkEnumerateDeviceExtensionProperties")?;
        Ok(all.iter().filter_map(|e| e.extension_name_as_c_str().ok().map(CStr::to_owned)).collect())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some((utils, messenger)) = self.messenger.take() {
            // SAFETY: a messenger of this instance, which lives.
            unsafe { utils.destroy_debug_utils_messenger(messenger, None) }
        }
        // SAFETY: the device of this instance is destroyed before it (see the order of fields in `Gpu`).
        unsafe { self.raw.destroy_instance(None) }
    }
}

fn text(name: Result<&CStr, std::ffi::FromBytesUntilNulError>) -> String {
    name.map_or_else(|_| "(unnamed)".into(), |n| n.to_string_lossy().into_owned())
}

/// The samples' own names hold no NUL.
fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}
