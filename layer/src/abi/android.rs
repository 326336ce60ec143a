//! System properties of Android, as its C library has them since version 8 (API level 26). Input: a name; output: the value, of any length.

use std::ffi::{CStr, CString, c_char, c_void};

/// prop_info of sys/system_properties.h.
#[repr(C)]
struct PropertyInfo {
    _opaque: [u8; 0],
}

/// Gets cookie, name, value and serial number.
type Callback = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, u32);

unsafe extern "C" {
    fn __system_property_find(name: *const c_char) -> *const PropertyInfo;
    fn __system_property_read_callback(info: *const PropertyInfo, callback: Callback, cookie: *mut c_void);
}

unsafe extern "C" fn take(cookie: *mut c_void, _name: *const c_char, value: *const c_char, _serial: u32) {
    // SAFETY: the cookie is the one that `property` gives, which waits; the value is a string for the time of this call.
    let (found, value) = unsafe { (&mut *cookie.cast::<Option<String>>(), CStr::from_ptr(value)) };
    *found = Some(value.to_string_lossy().into_owned());
}

/// The value of a system property; `None` if there is none of this name.
pub fn property(name: &str) -> Option<String> {
    let name = CString::new(name).ok()?;
    let mut found: Option<String> = None;
    // SAFETY: a null-terminated name; the information stays valid for the life of the process, as sys/system_properties.h says, and
    // the callback runs within the call.
    unsafe {
        let info = __system_property_find(name.as_ptr());
        if !info.is_null() {
            __system_property_read_callback(info, take, (&raw mut found).cast());
        }
    }
    found
}
