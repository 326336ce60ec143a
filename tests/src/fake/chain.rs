//! The fake loader: links layer and driver as the loader does, and creates instances and devices through them.

use super::driver::proc_addr::{device_proc_addr, instance_proc_addr, physical_proc_addr};
use super::link::{self, CreateInfo, DeviceLink, InstanceLink};
use super::{App, Driver, Layer, Options};
use ash::vk::{self, Handle};
use std::ffi::{c_char, c_void};
use std::ptr;

/// A fake driver with the layer, or nothing, above it.
#[derive(Clone, Copy)]
pub struct Chain {
    /// The driver.
    pub driver: &'static Driver,
    /// The layer, if it takes part.
    pub layer: Option<&'static Layer>,
}

/// What the loader offers in VK_LOADER_DATA_CALLBACK; a layer that makes no dispatchable objects never calls it.
unsafe extern "system" fn set_loader_data(_: *mut c_void, _: *mut c_void) -> vk::Result {
    vk::Result::SUCCESS
}

impl Chain {
    /// The layer above a driver with these habits.
    pub fn new(options: Options) -> Self {
        Self { driver: Driver::new(options), layer: Some(Layer::get()) }
    }

    /// A driver alone.
    pub fn without_layer(options: Options) -> Self {
        Self { driver: Driver::new(options), layer: None }
    }

    /// vkGetInstanceProcAddr of the top of the chain.
    pub fn instance_address(&self, of: vk::Instance, name: &std::ffi::CStr) -> vk::PFN_vkVoidFunction {
        let function = self.layer.map_or(instance_proc_addr as link::GetInstanceProcAddr, |l| l.get_instance_proc_addr);
        // SAFETY: a live instance or null, and a terminated string.
        unsafe { function(of, name.as_ptr()) }
    }

    /// vkGetDeviceProcAddr of the top of the chain.
    pub fn device_address(&self, of: vk::Device, name: &std::ffi::CStr) -> vk::PFN_vkVoidFunction {
        let function = self.layer.map_or(device_proc_addr as link::GetDeviceProcAddr, |l| l.get_device_proc_addr);
        // SAFETY: a live device and a terminated string.
        unsafe { function(of, name.as_ptr()) }
    }

    /// The four structs that the loader puts before the application's chain, in the order that the options ask for. `link` is
    /// what VK_LAYER_LINK_INFO points to.
    fn infos(&self, s_type: i32, link: *mut c_void, tail: *const c_void) -> Box<[CreateInfo; 3]> {
        let callback = set_loader_data as unsafe extern "system" fn(*mut c_void, *mut c_void) -> vk::Result;
        let info =
            |function, first| CreateInfo { s_type, next: ptr::null(), function, payload: [first, ptr::null_mut()] };
        let link = info(link::LINK, link);
        let data = info(link::DATA_CALLBACK, callback as *mut c_void);
        let features = info(link::FEATURES, ptr::without_provenance_mut(0xF));
        let mut infos =
            Box::new(if self.driver.options.link_last { [features, data, link] } else { [link, data, features] });
        infos[2].next = tail;
        infos[1].next = (&raw const infos[2]).cast();
        infos[0].next = (&raw const infos[1]).cast();
        infos
    }

    /// vkCreateInstance through the chain. Without the layer the loader's structs are absent.
    pub fn create_instance(&self, info: &vk::InstanceCreateInfo<'_>) -> Result<App, vk::Result> {
        self.driver.enter();
        self.driver.set_running(false);
        let mut link = InstanceLink {
            next: ptr::null_mut(),
            get_instance_proc_addr: instance_proc_addr,
            get_physical_device_proc_addr: self
                .driver
                .options
                .physical_device_proc_addr
                .then_some(physical_proc_addr as _),
        };
        let infos = self.infos(link::INSTANCE, (&raw mut link).cast(), info.p_next);
        let mut info = *info;
        if self.layer.is_some() {
            info.p_next = (&raw const *infos).cast();
        }
        let mut instance = vk::Instance::null();
        // The loader may pass an instance that is not usable yet: a layer must not look at it for a global name.
        let unusable = vk::Instance::from_raw(0x10);
        let create = self.instance_address(unusable, c"vkCreateInstance").expect("vkCreateInstance is missing");
        let (info, out): (*const _, *mut _) = (&info, &mut instance);
        self.driver.note_sent("vkCreateInstance", || vec![info as u64, 0, out as u64]);
        // SAFETY: the name's type by the specification, and valid arguments.
        let result = unsafe {
            let create = std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateInstance>(create);
            create(info, ptr::null(), out)
        };
        if result != vk::Result::SUCCESS {
            return Err(result);
        }
        let app = App::of_instance(*self, instance);
        self.driver.set_running(true);
        Ok(app)
    }

    /// vkCreateInstance and vkCreateDevice with nothing asked for.
    pub fn start(&self) -> App {
        let application = vk::ApplicationInfo::default()
            .application_name(c"bench")
            .engine_name(c"fake")
            .api_version(self.driver.options.api);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let app = self.create_instance(&info).expect("vkCreateInstance failed");
        app.open_device(&vk::DeviceCreateInfo::default()).expect("vkCreateDevice failed")
    }

    /// vkCreateDevice through the chain, on an instance of the chain.
    pub(super) fn create_device(&self, app: &App, info: &vk::DeviceCreateInfo<'_>) -> Result<vk::Device, vk::Result> {
        let mut link = DeviceLink {
            next: ptr::null_mut(),
            get_instance_proc_addr: strict_instance_proc_addr,
            get_device_proc_addr: device_proc_addr,
        };
        let infos = self.infos(link::DEVICE, (&raw mut link).cast(), info.p_next);
        let mut info = *info;
        if self.layer.is_some() {
            info.p_next = (&raw const *infos).cast();
        }
        let mut device = vk::Device::null();
        // SAFETY: valid arguments.
        let result = unsafe { app.vkCreateDevice(app.physical, &info, ptr::null(), &mut device) };
        if result == vk::Result::SUCCESS { Ok(device) } else { Err(result) }
    }
}

/// The next vkGetInstanceProcAddr during vkCreateDevice: vkCreateDevice is a matter of an instance, so asking for it without
/// one gets NULL, as some layers answer.
unsafe extern "system" fn strict_instance_proc_addr(of: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    if of == vk::Instance::null() {
        return None;
    }
    // SAFETY: passed on.
    unsafe { instance_proc_addr(of, name) }
}
