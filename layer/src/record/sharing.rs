//! Which images and buffers of a frame are bound to the same bytes, free of handles and of where in the memory object they lie: a frame that
//! shares in the same way elsewhere is the same frame.
//!
//! Inputs: the resources of a frame in its order, and what is known of the memory of each. Output: [`Memory::shared`] of those that overlap.
//! Runs on the analysis thread. Only resources that were found to be aliased when they were bound are looked at.

use super::objects::{Buffer, Image};
use std::sync::Arc;
use tbdr_model::frame::{FrameStructure, Memory, SharedBytes};

/// Bytes of one resource.
struct Range {
    block: usize,
    start: u64,
    end: u64,
    /// Its place among the images, then the buffers, of the frame.
    resource: usize,
}

/// Fills in what the resources of the frame share.
pub fn fill_in(structure: &mut FrameStructure, images: &[Arc<Image>], buffers: &[Arc<Buffer>]) {
    let places = images.iter().map(|image| &image.place).chain(buffers.iter().map(|buffer| &buffer.place));
    let mut memories: Vec<&mut Memory> = structure.images.iter_mut().map(|image| &mut image.memory).collect();
    memories.extend(structure.buffers.iter_mut().map(|buffer| &mut buffer.memory));
    let mut ranges: Vec<Range> = Vec::new();
    let aliased = places.zip(&memories).enumerate().filter(|(_, (_, memory))| memory.aliased);
    for (resource, (place, _)) in aliased {
        let bound = |(block, start, end)| Range { block, start, end, resource };
        ranges.extend(place.ranges().into_iter().map(bound));
    }
    ranges.sort_unstable_by_key(|range| (range.block, range.start, range.end, range.resource));
    let mut stretches = stretches(ranges);
    // Two buffers on the same bytes are no business of anyone.
    stretches.retain(|stretch| {
        let first = stretch.iter().map(|range| range.resource).min();
        first < Some(images.len()) && stretch.iter().any(|range| Some(range.resource) != first)
    });
    stretches.sort_by_key(|stretch| stretch.iter().map(|range| (range.resource, range.start)).min());
    for (number, stretch) in (0..).zip(&stretches) {
        let base = stretch.first().map_or(0, |range| range.start);
        for range in stretch {
            let bytes = SharedBytes { stretch: number, offset: range.start - base, size: range.end - range.start };
            if let Some(memory) = memories.get_mut(range.resource) {
                memory.shared.push(bytes);
            }
        }
    }
}

/// Ranges in order, cut where no byte goes on.
fn stretches(ranges: Vec<Range>) -> Vec<Vec<Range>> {
    let mut stretches: Vec<Vec<Range>> = Vec::new();
    let mut reach = (usize::MAX, 0);
    for range in ranges {
        let goes_on = range.block == reach.0 && range.start < reach.1;
        reach = (range.block, if goes_on { range.end.max(reach.1) } else { range.end });
        match stretches.last_mut().filter(|_| goes_on) {
            Some(stretch) => stretch.push(range),
            None => stretches.push(vec![range]),
        }
    }
    stretches
}
