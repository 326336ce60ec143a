//! What was called, with the raw words of the arguments.

use super::commands;
use std::fmt;

/// One call, as the caller made it or as the callee received it.
#[derive(Clone)]
pub struct Call {
    /// Name of the command.
    pub name: &'static str,
    /// Arguments: handles, numbers and pointers as they were passed.
    pub words: Vec<u64>,
}

/// The name that a command and its aliases share: a driver has one function for them.
fn canonical(name: &'static str) -> &'static str {
    let all = commands::all();
    let core = ["KHR", "EXT", "AMD"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let known = [core.to_owned(), format!("{core}KHR")];
    known.iter().find_map(|n| all.get(n.as_str())).map_or(name, |command| command.name)
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words && (self.name == other.name || canonical(self.name) == canonical(other.name))
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:x?})", self.name, self.words)
    }
}

/// Commands that only ask, which a layer may send on its own while an instance or a device is created.
pub const QUERIES: &[&str] = &[
    "vkEnumeratePhysicalDevices",
    "vkGetPhysicalDeviceProperties",
    "vkGetPhysicalDeviceMemoryProperties",
    "vkGetPhysicalDeviceQueueFamilyProperties",
];

/// What a layer may ask of memory that is about to be freed.
const COMMITMENT: &str = "vkGetDeviceMemoryCommitment";

/// Commands that a layer answers itself, as the specification of layers demands, or for an extension of its own where the driver lacks it.
pub const ANSWERED: &[&str] = &["vkEnumerateDeviceLayerProperties", "vkGetPhysicalDeviceToolPropertiesEXT"];

/// Compares what the application sent with what the driver received: the same calls in the same order with the same
/// arguments, but for [`QUERIES`] right after vkCreateInstance and vkCreateDevice, the commitment of memory right before it is freed, and
/// for [`ANSWERED`]. Returns the first difference.
pub fn first_difference(sent: &[Call], received: &[Call]) -> Option<String> {
    let mut received = received.iter().enumerate().peekable();
    for (index, call) in sent.iter().enumerate() {
        if ANSWERED.contains(&call.name) {
            received.next_if(|(_, arrived)| *arrived == call);
            continue;
        }
        if call.name == "vkFreeMemory" {
            let asked = |extra: &Call| extra.name == COMMITMENT && extra.words[..2] == call.words[..2];
            received.next_if(|(_, extra)| asked(extra));
        }
        match received.next() {
            Some((_, arrived)) if arrived == call => {}
            Some((at, arrived)) => return Some(format!("call {index}: sent {call:?}, as {at} arrived {arrived:?}")),
            None => return Some(format!("call {index}: sent {call:?}, nothing arrived")),
        }
        if matches!(call.name, "vkCreateInstance" | "vkCreateDevice") {
            let next = sent.get(index + 1);
            while received.next_if(|(_, extra)| QUERIES.contains(&extra.name) && Some(*extra) != next).is_some() {}
        }
    }
    received.next().map(|(at, extra)| format!("the application sent {} calls, as {at} arrived {extra:?}", sent.len()))
}
