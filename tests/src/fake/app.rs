//! The application's side of the chain: its dispatch table, filled once through vkGetInstanceProcAddr and
//! vkGetDeviceProcAddr, and what the loader's trampolines add.

use super::commands::{self, Level};
use super::{Chain, Driver, handle};
use ash::vk;
use std::collections::BTreeMap;
use std::ffi::CString;

/// An application with an instance and, once opened, a device. The methods are the commands themselves, by their names.
pub struct App {
    /// The chain below it.
    pub chain: Chain,
    /// The instance.
    pub instance: vk::Instance,
    /// The one physical device.
    pub physical: vk::PhysicalDevice,
    /// The device; null before [`App::open_device`].
    pub device: vk::Device,
    addresses: BTreeMap<&'static str, unsafe extern "system" fn()>,
}

impl App {
    pub(super) fn of_instance(chain: Chain, instance: vk::Instance) -> Self {
        let mut addresses = BTreeMap::new();
        for command in commands::all().values().filter(|c| c.level == Level::Instance) {
            let name = CString::new(command.name).unwrap();
            if let Some(address) = chain.instance_address(instance, &name) {
                addresses.insert(command.name, address);
            }
        }
        let mut app =
            Self { chain, instance, physical: vk::PhysicalDevice::null(), device: vk::Device::null(), addresses };
        let mut physical = vk::PhysicalDevice::null();
        // SAFETY: valid arguments.
        let _ = unsafe { app.vkEnumeratePhysicalDevices(instance, &mut 1, &mut physical) };
        app.physical = physical;
        app
    }

    /// vkCreateDevice: an application with a device on the same instance.
    pub fn open_device(&self, info: &vk::DeviceCreateInfo<'_>) -> Result<Self, vk::Result> {
        let device = self.chain.create_device(self, info)?;
        let mut addresses = self.addresses.clone();
        for command in commands::all().values().filter(|c| c.level == Level::Device) {
            let name = CString::new(command.name).unwrap();
            addresses.remove(command.name);
            if let Some(address) = self.chain.device_address(device, &name) {
                addresses.insert(command.name, address);
            }
        }
        Ok(Self { chain: self.chain, instance: self.instance, physical: self.physical, device, addresses })
    }

    /// The driver at the end of the chain.
    pub fn driver(&self) -> &'static Driver {
        self.chain.driver
    }

    /// Whether a command exists.
    pub fn has(&self, name: &str) -> bool {
        self.addresses.contains_key(name)
    }

    /// The address that the chain gave for a command.
    #[track_caller]
    pub fn address(&self, name: &str) -> unsafe extern "system" fn() {
        *self.addresses.get(name).unwrap_or_else(|| panic!("{name} does not exist in this chain"))
    }

    pub(super) fn note(&self, name: &'static str, words: impl FnOnce() -> Vec<u64>) {
        if self.driver().noting() {
            self.driver().note_sent(name, words);
        }
    }

    /// A queue that somebody else in the process asked the driver for: the layers have never seen it handed out.
    pub fn queue_of_another(&self) -> vk::Queue {
        let queue = handle::Object::create(self.driver(), 0);
        handle::set_dispatch(queue, handle::dispatch(self.device));
        queue
    }

    /// vkGetDeviceQueue as the loader's trampoline does it: the first word is written after the layers have returned.
    pub fn queue(&self, family: u32, index: u32) -> vk::Queue {
        let mut queue = vk::Queue::null();
        // SAFETY: valid arguments.
        unsafe { self.vkGetDeviceQueue(self.device, family, index, &mut queue) };
        handle::set_dispatch(queue, handle::dispatch(self.device));
        queue
    }

    /// vkAllocateCommandBuffers as the loader's trampoline does it.
    pub fn command_buffers(
        &self,
        pool: vk::CommandPool,
        level: vk::CommandBufferLevel,
        count: u32,
    ) -> Vec<vk::CommandBuffer> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).level(level).command_buffer_count(count);
        let mut buffers = vec![vk::CommandBuffer::null(); count as usize];
        // SAFETY: valid arguments.
        let result = unsafe { self.vkAllocateCommandBuffers(self.device, &info, buffers.as_mut_ptr()) };
        assert_eq!(result, vk::Result::SUCCESS);
        for buffer in &buffers {
            handle::set_dispatch(*buffer, handle::dispatch(self.device));
        }
        buffers
    }

    /// vkDestroyDevice and vkDestroyInstance.
    pub fn stop(self) {
        // SAFETY: live handles.
        unsafe {
            self.vkDestroyDevice(self.device, std::ptr::null());
            self.vkDestroyInstance(self.instance, std::ptr::null());
        }
    }
}
