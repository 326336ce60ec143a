//! TL502.

use super::narrower::{self, Width};
use super::{Candidate, Evidence, rule};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An image barrier whose destination holds back vertices or compute, though only later stages touch its images.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Vertices of one pass and fragments of the pass before run beside each other, in two slots. A barrier that holds back vertices until
    /// fragments have ended leaves the one slot empty while the other drains, and then the other way round.
    ///
    /// ## Bad
    /// `dstStageMask = VERTEX_SHADER` for an image that only fragment shaders sample.
    ///
    /// ## Good
    /// `dstStageMask = FRAGMENT_SHADER`: as late as the first stage that touches the image.
    ///
    /// ## How much
    /// The number of steps for which a slot stands empty because of the barrier, in a schedule in which every piece of work takes one step: a
    /// measure of what cannot overlap, not of time. The published measurement is a frame 13 % shorter on a Mali-G76.
    ///
    /// ## When to ignore
    /// If vertex shaders sample the image in situations that the recorded run did not reach.
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
    DESTINATION_TOO_EARLY {
        code: "TL502",
        name: "destination-too-early",
        category: Scheduling,
        level: Info,
        since: "0.1.0",
        speaks_before: &[],
        counts: ["empty step", "empty steps"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    let why = "its destination holds back stages that do not touch its images";
    narrower::candidates(evidence, Width::Destination, why)
}
