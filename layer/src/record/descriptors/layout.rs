//! Layouts of descriptor sets and of pipelines, as far as images go.

use std::sync::Arc;

/// One binding of a VkDescriptorSetLayout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutBinding {
    /// Its number.
    pub number: u32,
    /// Its descriptors; bytes for inline uniform blocks.
    pub count: u32,
    /// Whether they may be images that shaders reach by binding.
    pub images: bool,
    /// VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT: what they are at submission counts.
    pub late: bool,
}

/// A VkDescriptorSetLayout. Descriptors are numbered through all bindings, in the order of the bindings' numbers, as writes run over
/// from one binding to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetLayout {
    /// By number, with the number of the first descriptor.
    bindings: Vec<(LayoutBinding, u64)>,
}

impl SetLayout {
    /// A layout of these bindings, in any order.
    pub fn new(mut bindings: Vec<LayoutBinding>) -> Self {
        bindings.sort_by_key(|b| b.number);
        let mut next = 0u64;
        let number = |binding: LayoutBinding| {
            let first = next;
            next = next.saturating_add(u64::from(binding.count));
            (binding, first)
        };
        Self { bindings: bindings.into_iter().map(number).collect() }
    }

    /// A binding, and the number of its first descriptor.
    pub fn binding(&self, number: u32) -> Option<(LayoutBinding, u64)> {
        self.bindings.binary_search_by_key(&number, |(b, _)| b.number).ok().map(|at| self.bindings[at])
    }
}

/// A VkPipelineLayout: what pushed descriptors need to know of it.
#[derive(Default)]
pub struct PipelineLayout {
    /// Layouts of its sets, as far as they are known.
    pub sets: Vec<Option<Arc<SetLayout>>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_numbered_through_all_bindings_by_their_numbers() {
        let binding = |number, count| LayoutBinding { number, count, images: true, late: false };
        let layout = SetLayout::new(vec![binding(7, 2), binding(0, 3), binding(4, 0)]);
        assert_eq!(layout.binding(0).map(|b| b.1), Some(0));
        assert_eq!(layout.binding(7).map(|b| b.1), Some(3));
        assert_eq!(layout.binding(1), None);
    }
}
