//! The application's messengers of VK_EXT_debug_utils, and what is said to them: findings at the end of a device, and what is wrong with
//! the settings, or with the layer, in the next call that creates or destroys an instance or a device.
//!
//! Their callbacks are called here and not through vkSubmitDebugUtilsMessageEXT: loaders hold their own lock in that command and in
//! vkDestroyDevice alike, so that one within the other would never return. No lock of this layer is held meanwhile.

use super::messages;
use crate::dispatch::guard;
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
    /// Names of the label regions around what it is about, innermost first.
    pub labels: Vec<CString>,
    /// Identity of the image that it is about ([`crate::record::Image::serial`]).
    pub image: Option<u64>,
}

/// A live object that a message is about.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its type.
    pub ty: vk::ObjectType,
    /// Its handle.
    pub handle: u64,
    /// Its debug name.
    pub name: Option<CString>,
}

impl Object {
    /// An object without a name.
    pub fn new<T: Handle>(handle: T) -> Self {
        Self { ty: T::TYPE, handle: handle.as_raw(), name: None }
    }
}

/// A messenger as its creation describes it.
#[derive(Clone, Copy)]
pub struct Messenger {
    /// The handle; null where it is chained to VkInstanceCreateInfo.
    handle: vk::DebugUtilsMessengerEXT,
    severities: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    callback: vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    user_data: *mut c_void,
    /// How many of the notices it has heard.
    heard: usize,
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
            heard: 0,
        }
    }

    /// What `info` asks for during vkCreateInstance and vkDestroyInstance, to which it is chained.
    pub fn chained(info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Self {
        Self::new(vk::DebugUtilsMessengerEXT::null(), info)
    }

    fn is_chained(&self) -> bool {
        self.handle.is_null()
    }

    /// Whether both are the same function with the same data and masks, so that what one has heard the other need not hear.
    fn is_same(&self, other: &Self) -> bool {
        let key = |m: &Self| (m.callback.map(|f| f as usize), m.user_data, m.severities, m.types);
        key(self) == key(other)
    }

    fn wants(&self, message: &Message) -> bool {
        self.severities.intersects(message.severity) && self.types.intersects(message.types)
    }
}

/// Which messengers live in a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum During {
    /// vkCreateInstance and vkDestroyInstance: those chained to VkInstanceCreateInfo.
    Instance,
    /// Any other call: those that the application has created.
    Device,
}

/// The messengers of an instance.
#[derive(Default)]
pub struct Messengers(Mutex<Known>);

#[derive(Default)]
struct Known {
    messengers: Vec<Messenger>,
    /// What each messenger is told once, whenever it was created.
    notices: Vec<Message>,
}

impl Messengers {
    /// One more. One that is the same as one chained to VkInstanceCreateInfo need not hear again what that has heard.
    pub fn add(&self, messenger: Messenger) {
        let mut known = self.0.lock();
        let same = known.messengers.iter().find(|other| other.is_chained() && other.is_same(&messenger));
        let heard = same.map_or(0, |same| same.heard);
        known.messengers.push(Messenger { heard, ..messenger });
    }

    /// One less: before the call down that destroys it, since another thread may get the same handle then.
    pub fn remove(&self, handle: vk::DebugUtilsMessengerEXT) {
        let mut known = self.0.lock();
        if let Some(at) = known.messengers.iter().position(|messenger| messenger.handle == handle) {
            known.messengers.remove(at);
        }
    }

    /// Whether the application has created any.
    pub fn any(&self) -> bool {
        self.0.lock().messengers.iter().any(|messenger| !messenger.is_chained())
    }

    /// Something that every messenger shall hear once.
    pub fn notice(&self, message: Message) {
        let mut known = self.0.lock();
        if known.notices.iter().all(|notice| notice.text != message.text) {
            known.notices.push(message);
        }
    }

    /// Where the layer has stepped aside, that is a notice too.
    pub fn note_fault(&self) {
        if let Some(fault) = guard::told_fault() {
            self.notice(messages::fault(fault));
        }
    }

    /// Says the notices to each messenger that has not heard them, as being about `object`.
    ///
    /// # Safety
    /// As for [`Messengers::say`], in a call such as `during` says.
    #[allow(unsafe_code)]
    pub unsafe fn say_notices(&self, during: During, object: &Object) {
        let (messengers, notices) = {
            let mut known = self.0.lock();
            let known = &mut *known;
            if known.notices.is_empty() {
                return;
            }
            let all = known.notices.len();
            let lives = |messenger: &Messenger| messenger.is_chained() == (during == During::Instance);
            let due: Vec<Messenger> = known.messengers.iter().filter(|m| lives(m) && m.heard < all).copied().collect();
            // One that is chained and created hears everything once.
            for messenger in known.messengers.iter_mut().filter(|m| due.iter().any(|due| due.is_same(m))) {
                messenger.heard = all;
            }
            (due, known.notices.clone())
        };
        for messenger in messengers {
            for notice in notices.iter().skip(messenger.heard).filter(|notice| messenger.wants(notice)) {
                // SAFETY: by the caller's promise.
                unsafe { tell(&messenger, notice, std::slice::from_ref(object)) };
            }
        }
    }

    /// Says `messages` in their order to each messenger of the application that wants them, with the live objects that `about` names for each.
    /// What a callback returns is ignored.
    ///
    /// # Safety
    /// The calling thread is in a call of the application on an object of the instance: the specification then forbids to destroy a
    /// messenger meanwhile.
    #[allow(unsafe_code)]
    pub unsafe fn say(&self, messages: &[Message], about: impl Fn(&Message) -> Vec<Object>) {
        let messengers: Vec<_> = self.0.lock().messengers.iter().filter(|m| !m.is_chained()).copied().collect();
        for message in messages {
            let objects = about(message);
            for messenger in messengers.iter().filter(|messenger| messenger.wants(message)) {
                // SAFETY: by the caller's promise.
                unsafe { tell(messenger, message, &objects) };
            }
        }
    }
}

/// Calls a callback.
///
/// # Safety
/// The messenger lives.
#[allow(unsafe_code)]
unsafe fn tell(messenger: &Messenger, message: &Message, objects: &[Object]) {
    let Some(callback) = messenger.callback else { return };
    let labels: Vec<_> = message.labels.iter().map(|name| vk::DebugUtilsLabelEXT::default().label_name(name)).collect();
    let objects: Vec<_> = objects
        .iter()
        .map(|object| vk::DebugUtilsObjectNameInfoEXT {
            object_type: object.ty,
            object_handle: object.handle,
            p_object_name: object.name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr()),
            ..Default::default()
        })
        .collect();
    let data = vk::DebugUtilsMessengerCallbackDataEXT::default()
        .message_id_name(&message.id_name)
        .message_id_number(message.id_number)
        .message(&message.text)
        .cmd_buf_labels(&labels)
        .objects(&objects);
    // SAFETY: the application's own callback, live by the caller's promise; the data live during the call.
    unsafe { callback(message.severity, message.types, &raw const data, messenger.user_data) };
}
