//! The macro behind the hook table.

/// Generates, from lists of `field: function as type = names`, the tables of next-layer pointers, the hook identities and
/// the lists of names with their hooks. The first name that the layer below knows is the one that is called down: a promoted
/// command and its alias are the same function there.
macro_rules! hook_tables {
    ($($(#[$doc:meta])* $table:ident, $list:ident { $($field:ident: $function:path as $pfn:ty = $first:literal $(| $more:literal)*;)+ })+) => {
        /// A hooked command.
        #[derive(Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        #[allow(non_camel_case_types)]
        pub enum HookId {
            $($(#[doc = $first] $field,)+)+
        }

        impl HookId {
            /// The command's name.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Self::$field => $first,)+)+
                }
            }

            /// The hook that answers to `name`.
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $($($first $(| $more)* => Some(Self::$field),)+)+
                    _ => None,
                }
            }
        }

        $(
            $(#[$doc])*
            #[derive(Default)]
            // Creation commands are called down through the loader's link, before a table exists.
            #[allow(dead_code)]
            pub struct $table {
                $(#[doc = concat!("Next ", $first, ".")] pub $field: Option<$pfn>,)+
            }

            impl $table {
                /// Asks `get` for every command.
                ///
                /// # Safety
                /// `get` answers a name with the function of that name or `None`.
                pub unsafe fn load(get: &dyn Fn(&std::ffi::CStr) -> ash::vk::PFN_vkVoidFunction) -> Self {
                    Self {
                        $($field: {
                            let names = [concat!($first, "\0") $(, concat!($more, "\0"))*];
                            let below = names.into_iter().find_map(|n| get(crate::dispatch::macros::c(n)));
                            // SAFETY: the names and the type of a line belong to the same command.
                            unsafe { crate::dispatch::typed::<$pfn>(below) }
                        },)+
                    }
                }
            }

            static $list: &[Hook] = &[
                $(Hook { name: $first, function: crate::dispatch::void!($function => $pfn) },
                $(Hook { name: $more, function: crate::dispatch::void!($function => $pfn) },)*)+
            ];
        )+
    };
}
pub(crate) use hook_tables;

/// A literal that ends in a null as a C string.
pub fn c(literal: &'static str) -> &'static std::ffi::CStr {
    std::ffi::CStr::from_bytes_with_nul(literal.as_bytes()).unwrap_or_default()
}
