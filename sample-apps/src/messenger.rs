//! A program's own messenger of VK_EXT_debug_utils: what it hears is printed.

use ash::vk::{self, DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type};
use std::ffi::{CStr, c_char, c_void};
use std::io::Write;

/// What to create a messenger from that hears everything. It needs no data of its own, so that it may also be chained to VkInstanceCreateInfo,
/// whose messenger lives until vkDestroyInstance.
pub fn info() -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(Severity::VERBOSE | Severity::INFO | Severity::WARNING | Severity::ERROR)
        .message_type(Type::GENERAL | Type::VALIDATION | Type::PERFORMANCE)
        .pfn_user_callback(Some(print))
}

/// Prints a message on three lines of standard output: severity, type and id, the text, and what it is about.
unsafe extern "system" fn print(
    severity: Severity,
    types: Type,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: what a callback is given lives during the call, by specification.
    let (id, words, about) = unsafe {
        let data = &*data;
        let objects = slice(data.p_objects, data.object_count);
        let named = |object: &vk::DebugUtilsObjectNameInfoEXT<'_>| match text(object.p_object_name) {
            name if name.is_empty() => format!("{:?}", object.object_type),
            name => format!("{:?} \"{name}\"", object.object_type),
        };
        let labels = slice(data.p_cmd_buf_labels, data.cmd_buf_label_count).iter();
        let about = objects.iter().map(named).chain(labels.map(|l| format!("label \"{}\"", text(l.p_label_name))));
        (text(data.p_message_id_name), text(data.p_message), about.collect::<Vec<_>>().join(", "))
    };
    // The loader tells of what it does as well; this is about the rest.
    if id != "Loader Message" {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "message: {severity:?} {types:?} {id}\n  {words}\n  about {about}");
    }
    vk::FALSE
}

/// A string of Vulkan's, or nothing for null.
///
/// # Safety
/// `text` is null or a terminated string.
unsafe fn text(text: *const c_char) -> String {
    match text.is_null() {
        true => String::new(),
        // SAFETY: by the caller's promise.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

/// An array of Vulkan's.
///
/// # Safety
/// `items` holds `count` items, or `count` is 0.
unsafe fn slice<'a, T>(items: *const T, count: u32) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: by the caller's promise.
        count => unsafe { std::slice::from_raw_parts(items, count as usize) },
    }
}
