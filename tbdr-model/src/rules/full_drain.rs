//! TL501.

use super::narrower::{self, Width};
use super::{Candidate, Evidence, rule};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An image barrier from `BOTTOM_OF_PIPE`, `ALL_COMMANDS` or `ALL_GRAPHICS` to `TOP_OF_PIPE`, `ALL_COMMANDS` or `ALL_GRAPHICS`, where the
    /// stages that touch its images are fewer and more work could overlap.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Vertices of one pass and fragments of the pass before run beside each other, in two slots. A barrier that holds back vertices until
    /// fragments have ended leaves the one slot empty while the other drains, and then the other way round.
    ///
    /// ## Bad
    /// `srcStageMask = BOTTOM_OF_PIPE, dstStageMask = TOP_OF_PIPE` between a pass that renders an image and one whose fragments sample it.
    ///
    /// ## Good
    /// `srcStageMask = COLOR_ATTACHMENT_OUTPUT, dstStageMask = FRAGMENT_SHADER`.
    ///
    /// ## How much
    /// The number of steps for which a slot stands empty because of the barrier, in a schedule in which every piece of work takes one step: a
    /// measure of what cannot overlap, not of time. The published measurement is a frame 13 % shorter on a Mali-G76.
    ///
    /// ## When to ignore
    /// If the barrier is there for something else that the program reaches in ways which Vulkan does not tell: then it deserves a barrier of
    /// its own.
    ///
    /// ## Known limits
    /// Only barriers of images that can be attachments, and only where all that touches them is known. It is proved command by command that
    /// no two accesses lose their order, in this frame and towards the frames around it; buffers count as written by every shader of which
    /// it is not known that it writes none. Silent for barriers of buffers or of memory as a whole, for swapchain images, with events, with
    /// several queues, with more than three distinct frames, and at load time. What the host waits for is not looked at. What a
    /// semaphore may order counts as ordered by it, from the stages on that wait for it.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/pipeline_barriers. Vulkan specification, "Execution and Memory Dependencies".
    FULL_DRAIN {
        code: "TL501",
        name: "full-drain",
        category: Scheduling,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["empty step", "empty steps"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let why = "everything before the barrier has to end before anything after it begins, though only some stages touch its images";
    narrower::candidates(evidence, Width::Both, why)
}
