//! The application's messengers of VK_EXT_debug_utils, and what is said to them.
//!
//! Their callbacks are called here and not through vkSubmitDebugUtilsMessageEXT: loaders hold their own lock in that command and in
//! vkDestroyDevice alike, so that one within the other would never return. No lock of this layer is held meanwhile.

use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::ffi::{CString, c_void};

/// One message.
#[derive(Clone, Debug)]
pub struct Message {
    /// How bad it is: one bit.
    pub severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    /// What it is about.
    pub types: vk::DebugUtilsMessageTypeFlagsEXT,
    /// pMessageIdName.
    pub id_name: CString,
    /// messageIdNumber.
    pub id_number: i32,
    /// pMessage: one line.
    pub text: CString,
}

/// A messenger as its creation describes it.
#[derive(Clone, Copy)]
pub struct Messenger {
    /// The handle.
    handle: vk::DebugUtilsMessengerEXT,
    severities: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    callback: vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    user_data: *mut c_void,
}

#[allow(unsafe_code)]
// SAFETY: the pointer is only handed back to the application, whose callbacks must bear any thread.
unsafe impl Send for Messenger {}

impl Messenger {
    /// What `info` asks for.
    pub fn new(handle: vk::DebugUtilsMessengerEXT, info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Self {
        Self {
            handle,
            severities: info.message_severity,
            types: info.message_type,
            callback: info.pfn_user_callback,
            user_data: info.p_user_data,
        }
    }
}

/// The messengers of an instance.
#[derive(Default)]
pub struct Messengers(Mutex<Vec<Messenger>>);

impl Messengers {
    /// One more.
    pub fn add(&self, messenger: Messenger) {
        self.0.lock().push(messenger);
    }

    /// One less: before the call down that destroys it, since another thread may get the same handle then.
    pub fn remove(&self, handle: vk::DebugUtilsMessengerEXT) {
        let mut all = self.0.lock();
        if let Some(at) = all.iter().position(|messenger| messenger.handle == handle) {
            all.remove(at);
        }
    }

    /// Whether there is any.
    pub fn any(&self) -> bool {
        !self.0.lock().is_empty()
    }

    /// Says `messages` of `device`, in their order, to each messenger that wants them. What a callback returns is ignored.
    ///
    /// # Safety
    /// The calling thread is in a call of the application on `device`, which is live: the specification then forbids to destroy a
    /// messenger meanwhile.
    #[allow(unsafe_code)]
    pub unsafe fn say(&self, device: vk::Device, messages: &[Message]) {
        let messengers = self.0.lock().clone();
        let objects = [vk::DebugUtilsObjectNameInfoEXT {
            object_type: vk::ObjectType::DEVICE,
            object_handle: device.as_raw(),
            ..Default::default()
        }];
        for message in messages {
            let data = vk::DebugUtilsMessengerCallbackDataEXT::default()
                .message_id_name(&message.id_name)
                .message_id_number(message.id_number)
                .message(&message.text)
                .objects(&objects);
            let wants = |messenger: &&Messenger| {
                messenger.severities.intersects(message.severity) && messenger.types.intersects(message.types)
            };
            for messenger in messengers.iter().filter(wants) {
                let Some(callback) = messenger.callback else { continue };
                // SAFETY: the application's own callback, live by the caller's promise; the data live during the call.
                unsafe { callback(message.severity, message.types, &raw const data, messenger.user_data) };
            }
        }
    }
}
