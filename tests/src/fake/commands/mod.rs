//! The commands that the fake driver knows: one table of signatures by topic.
//!
//! Each line of a table becomes a function of the driver that notes name and raw arguments before it answers, and a method
//! of [`App`](crate::fake::App) that notes the same before it calls. So "the driver saw what the application sent" is the
//! comparison of two lists. Promoted names (`| vkCmd…KHR`) are functions of their own.

mod descriptors;
mod device;
mod instance;
mod other_work;
mod passes;
mod queue;
mod recording;
mod resources;
mod state;
mod transfers;

use ash::vk;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Whose proc address a command has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// First argument is VkInstance or VkPhysicalDevice.
    Instance,
    /// First argument is VkDevice, VkQueue or VkCommandBuffer.
    Device,
}

/// A command that the fake driver knows.
pub struct Command {
    /// Name as in the registry.
    pub name: &'static str,
    /// Whose proc address it has.
    pub level: Level,
    /// Core version that brought it, as `1.0`, or `ext`.
    pub since: &'static str,
    /// The driver's function.
    pub function: unsafe extern "system" fn(),
}

/// Every command that the fake driver knows, by name.
pub fn all() -> &'static BTreeMap<&'static str, &'static Command> {
    static ALL: OnceLock<BTreeMap<&'static str, &'static Command>> = OnceLock::new();
    ALL.get_or_init(|| {
        let tables: [&'static [Command]; 10] = [
            descriptors::COMMANDS,
            device::COMMANDS,
            instance::COMMANDS,
            other_work::COMMANDS,
            passes::COMMANDS,
            queue::COMMANDS,
            recording::COMMANDS,
            resources::COMMANDS,
            state::COMMANDS,
            transfers::COMMANDS,
        ];
        tables.into_iter().flatten().map(|c| (c.name, c)).collect()
    })
}

/// What a command returns when nothing else is asked of it, and how it reports an injected error.
pub(crate) trait Answer {
    /// The answer of a command that does nothing.
    fn plain() -> Self;
    /// The answer of a command that fails, for commands that can.
    fn failed(result: vk::Result) -> Option<Self>
    where
        Self: Sized;
}

impl Answer for () {
    fn plain() {}
    fn failed(_: vk::Result) -> Option<()> {
        None
    }
}

impl Answer for vk::Result {
    fn plain() -> Self {
        Self::SUCCESS
    }
    fn failed(result: vk::Result) -> Option<Self> {
        Some(result)
    }
}

/// The raw bits of an argument, as the callee's register or stack slot holds them.
pub(crate) fn word<T: Copy>(value: &T) -> u64 {
    assert!(size_of::<T>() <= 8);
    let mut bits = 0u64;
    // SAFETY: the sizes are checked above, both sides are plain values, and `bits` is a local of ours.
    unsafe {
        std::ptr::copy_nonoverlapping((value as *const T).cast::<u8>(), (&raw mut bits).cast::<u8>(), size_of::<T>())
    };
    bits
}

/// Table of commands: `[level since] vkName | vkAlias => (arg: type, …) -> result = body;`.
macro_rules! commands {
    ($([$level:ident $since:tt] $name:ident $(| $alias:ident)* => $args:tt -> $ret:ty = $body:expr;)*) => {
        pub(super) static COMMANDS: &[super::Command] = &[
            $(
                super::command_entry!($level $since $name $args $ret),
                $(super::command_entry!($level ext $alias $args $ret),)*
            )*
        ];

        /// The driver's side.
        #[allow(non_snake_case)]
        mod raw {
            use super::*;
            $(
                super::super::driver_function!($name $args $ret, $body);
                $(super::super::driver_function!($alias $args $ret, $body);)*
            )*
        }

        /// The application's side.
        #[allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
        impl crate::fake::App {
            $(
                super::app_function!($name $args $ret);
                $(super::app_function!($alias $args $ret);)*
            )*
        }
    };
}

macro_rules! command_entry {
    ($level:ident $since:tt $name:ident ($($arg:ident: $ty:ty),*) $ret:ty) => {
        super::Command {
            name: stringify!($name),
            level: super::command_level!($level),
            since: stringify!($since),
            // SAFETY: function pointers of any signature have the same representation; it is called through its own type only.
            function: unsafe {
                std::mem::transmute::<unsafe extern "system" fn($($ty),*) -> $ret, unsafe extern "system" fn()>(raw::$name)
            },
        }
    };
}

macro_rules! command_level {
    (instance) => {
        super::Level::Instance
    };
    (device) => {
        super::Level::Device
    };
}

macro_rules! driver_function {
    ($name:ident ($first:ident: $first_ty:ty $(, $arg:ident: $ty:ty)*) $ret:ty, $body:expr) => {
        #[allow(clippy::too_many_arguments, clippy::unused_unit)]
        pub(super) unsafe extern "system" fn $name($first: $first_ty $(, $arg: $ty)*) -> $ret {
            use super::super::{Answer, word};
            let Some(driver) = crate::fake::handle::driver_of($first) else { return <$ret as Answer>::plain() };
            driver.note(stringify!($name), || vec![word(&$first) $(, word(&$arg))*]);
            if let Some(answer) = driver.injected(stringify!($name)).and_then(<$ret as Answer>::failed) {
                return answer;
            }
            $body(driver, ($first, $($arg),*))
        }
    };
}

macro_rules! app_function {
    ($name:ident ($($arg:ident: $ty:ty),*) $ret:ty) => {
        #[doc = concat!("`", stringify!($name), "` of the Vulkan specification, noted and sent down the chain.")]
        pub unsafe fn $name(&self, $($arg: $ty),*) -> $ret {
            self.note(stringify!($name), || vec![$(super::word(&$arg)),*]);
            // SAFETY: the chain gave this pointer for the name, whose signature this is.
            let function = unsafe {
                std::mem::transmute::<unsafe extern "system" fn(), unsafe extern "system" fn($($ty),*) -> $ret>(
                    self.address(stringify!($name)),
                )
            };
            // SAFETY: the caller keeps the rules of the command.
            unsafe { function($($arg),*) }
        }
    };
}

pub(crate) use {app_function, command_entry, command_level, commands, driver_function};
