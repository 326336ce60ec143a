//! A messenger of VK_EXT_debug_utils that writes down what it hears.

use ash::vk::{self, DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type};
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

/// An object that a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its type.
    pub ty: vk::ObjectType,
    /// Its handle.
    pub handle: u64,
    /// Its debug name.
    pub name: Option<String>,
}

/// What a callback was given.
#[derive(Clone, Debug)]
pub struct Told {
    /// messageSeverity.
    pub severity: Severity,
    /// messageTypes.
    pub types: Type,
    /// pMessageIdName.
    pub name: String,
    /// messageIdNumber.
    pub number: i32,
    /// pMessage.
    pub text: String,
    /// pObjects.
    pub objects: Vec<About>,
    /// Names of pCmdBufLabels.
    pub labels: Vec<String>,
    /// The thread that called.
    pub thread: ThreadId,
}

/// What a messenger has heard. It must stay where it is as long as the messenger lives.
#[derive(Debug, Default)]
pub struct Heard(Mutex<Vec<Told>>);

/// A text of Vulkan's.
///
/// # Safety
/// `text` is null or a terminated string.
unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: by the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().expect("a text is UTF-8").to_owned())
}

/// Items of an array of Vulkan's.
///
/// # Safety
/// `items` is an array of `count`, or `count` is 0.
unsafe fn items<'a, T>(items: *const T, count: u32) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: by the caller's promise.
    unsafe { std::slice::from_raw_parts(items, count as usize) }
}

/// Asks for the call to be skipped, which nobody may do.
unsafe extern "system" fn hear(
    severity: Severity,
    types: Type,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    heard: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: data as the specification describes them; the pointer is that of `Heard::info`.
    unsafe {
        let data = &*data;
        let about = |object: &vk::DebugUtilsObjectNameInfoEXT<'_>| About {
            ty: object.object_type,
            handle: object.object_handle,
            name: text(object.p_object_name),
        };
        let told = Told {
            severity,
            types,
            name: text(data.p_message_id_name).unwrap_or_default(),
            number: data.message_id_number,
            text: text(data.p_message).expect("there is always a message"),
            objects: items(data.p_objects, data.object_count).iter().map(about).collect(),
            labels: items(data.p_cmd_buf_labels, data.cmd_buf_label_count)
                .iter()
                .filter_map(|label| text(label.p_label_name))
                .collect(),
            thread: thread::current().id(),
        };
        (*heard.cast::<Heard>()).0.lock().unwrap_or_else(|e| e.into_inner()).push(told);
    }
    vk::TRUE
}

impl Heard {
    /// A messenger that writes here what these masks ask for.
    pub fn info_of(&self, severity: Severity, types: Type) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(severity)
            .message_type(types)
            .pfn_user_callback(Some(hear))
            .user_data(ptr::from_ref(self).cast_mut().cast())
    }

    /// A messenger that writes everything here.
    pub fn info(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        self.info_of(every_severity(), every_type())
    }

    /// What was heard so far, which is forgotten.
    pub fn take(&self) -> Vec<Told> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// How much was heard that is not taken yet.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).len()
    }
}

/// Every severity that there is.
pub fn every_severity() -> Severity {
    Severity::VERBOSE | Severity::INFO | Severity::WARNING | Severity::ERROR
}

/// Every type that there is without other extensions.
pub fn every_type() -> Type {
    Type::GENERAL | Type::VALIDATION | Type::PERFORMANCE
}
