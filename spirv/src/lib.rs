//! Which image descriptors the entry points of a SPIR-V module statically use, and how; and whether they write other memory.
//!
//! Input: the words that an application gives to Vulkan. Output: per entry point the descriptor set bindings of images that its call
//! tree reaches ([`Use`]), each with what is done to it and with which element of an array, and whether anything that it reaches may
//! write memory beside that of images.
//!
//! Static use is a bound from above: code behind a branch counts. What cannot be followed widens the bound (a whole array, read and
//! written), and what reaches images by other ways than bindings (descriptor heaps, bindless handles, instructions that nobody knows
//! yet) makes an entry point [not known](EntryPoint::known). The scan is one walk over the declarations and a few over the functions
//! that can be reached; it never panics, and its time and memory are bounded by the size of the module.
//!
//! A crate of its own, because it is pure: it knows neither Vulkan handles nor the layer, and is tested and fuzzed alone. The
//! instructions' numbers are Khronos' own (crate `spirv`); a reflection library would bring code generators' worth of grammar for the
//! two dozen instructions that touch image handles, and trusts its input.
#![forbid(unsafe_code)]

#[cfg(feature = "assembler")]
pub mod assembler;
mod declarations;
mod follow;
mod memory;
mod origins;
mod words;

pub use spirv::{Capability, ExecutionModel};

use declarations::Declarations;
use tbdr_model::frame::AccessKind;

/// What a module's entry points statically use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The entry points, in the order of their declaration. Empty for what is no SPIR-V.
    pub entry_points: Vec<EntryPoint>,
    /// Whether some entry point may ask to run once for each sample (capability SampleRateShading).
    pub sample_shading: bool,
}

/// What one entry point statically uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// SpvExecutionModel.
    pub model: u32,
    /// Its name.
    pub name: String,
    /// Whether it reaches no other image than those listed, and their arrays by no other element.
    pub known: bool,
    /// Whether it writes no memory but that of images: no instruction that it reaches is one that may store to a storage buffer, a texel
    /// buffer or an address, nothing is captured by transform feedback, and all of its instructions are known.
    pub keeps_memory: bool,
    /// Bindings of images, ordered, each use once. Input attachments and texel buffers are none.
    pub uses: Vec<Use>,
}

/// One statically used binding of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// Descriptor set number.
    pub set: u32,
    /// Binding number.
    pub binding: u32,
    /// What is done with it.
    pub kind: AccessKind,
    /// Which of its elements.
    pub element: Element,
}

/// An element of an arrayed binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// This one; 0 for a binding that is no array.
    One(u32),
    /// The one that a specialization constant names.
    Specialized {
        /// SpecId.
        id: u32,
        /// Its value if it is not specialized.
        default: u32,
    },
    /// Any: the index is known at run time only.
    Any,
}

impl Module {
    /// Scans a module. What is no SPIR-V has no entry points.
    pub fn scan(words: &[u32]) -> Self {
        let Some(declared) = Declarations::read(words) else { return Self::default() };
        let mut budget = follow::Budget::of(words.len());
        let entry_points = declared
            .entry_points
            .iter()
            .map(|entry| {
                let follow::Found { known, keeps_memory, uses } =
                    follow::entry_point(&declared, entry.function, &mut budget);
                EntryPoint { model: entry.model, name: entry.name.clone(), known, keeps_memory, uses }
            })
            .collect();
        Self { entry_points, sample_shading: declared.sample_shading }
    }

    /// The entry point of a shader stage. Names are unique within an execution model.
    pub fn entry_point(&self, model: ExecutionModel, name: &str) -> Option<&EntryPoint> {
        self.entry_points.iter().find(|e| e.model == model as u32 && e.name == name)
    }
}
