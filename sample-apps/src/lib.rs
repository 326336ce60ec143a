//! Small headless Vulkan programs in wrong and right pairs.
