//! What an application does, written once: every command that the fake driver knows, in an order that Vulkan allows, and
//! small scenes for single claims.

/// Calls a command under each of its names that exists.
macro_rules! call {
    (@one $app:expr, $name:ident ($($arg:expr),* $(,)?)) => {
        if $app.has(stringify!($name)) {
            // SAFETY: the script keeps the rules of the command: live handles, valid structs.
            crate::script::ignore(unsafe { $app.$name($($arg),*) });
        }
    };
    ($app:expr, $name:ident ($($args:tt)*)) => {
        call!(@one $app, $name ($($args)*));
    };
    ($app:expr, $name:ident | $other:ident ($($args:tt)*)) => {
        call!(@one $app, $name ($($args)*));
        call!(@one $app, $other ($($args)*));
    };
    ($app:expr, $name:ident | $other:ident | $third:ident ($($args:tt)*)) => {
        call!(@one $app, $name ($($args)*));
        call!(@one $app, $other ($($args)*));
        call!(@one $app, $third ($($args)*));
    };
}

pub mod by_address;
mod descriptors;
mod everything;
pub mod newer;
mod objects;
mod other_work;
pub mod passes;
pub mod pipelines;
mod presenting;
mod recording;
mod scene;
pub mod shaders;
mod state;
mod transfers;

pub use everything::everything;
pub use scene::{Image, Scene, attachment};

/// The script does not look at results: errors are injected while it runs.
fn ignore<T>(_: T) {}

/// No allocation callbacks.
const NO: *const ash::vk::AllocationCallbacks<'static> = std::ptr::null();
