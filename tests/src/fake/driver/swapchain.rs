//! Swapchains: their images exist from creation on and are acquired in turn.

use super::Driver;
use super::instance::fill;
use ash::vk::{self, Handle};

/// vkCreateSharedSwapchainsKHR.
pub(crate) fn create_shared_swapchains<I, A>(
    driver: &'static Driver,
    (_, count, _, _, out): (vk::Device, u32, *const I, *const A, *mut vk::SwapchainKHR),
) -> vk::Result {
    for index in 0..count as usize {
        let value = driver.value(vk::ObjectType::SWAPCHAIN_KHR);
        // SAFETY: the specification demands an array of `count` handles.
        unsafe { out.add(index).write(vk::SwapchainKHR::from_raw(value)) };
    }
    vk::Result::SUCCESS
}

/// vkGetSwapchainImagesKHR.
pub(crate) fn swapchain_images(
    driver: &'static Driver,
    (_, swapchain, count, out): (vk::Device, vk::SwapchainKHR, *mut u32, *mut vk::Image),
) -> vk::Result {
    let known = driver.state().swapchains.get(&swapchain.as_raw()).cloned();
    let images = known.unwrap_or_else(|| {
        let images: Vec<vk::Image> = (0..driver.options.swapchain_images)
            .map(|_| vk::Image::from_raw(driver.value(vk::ObjectType::IMAGE)))
            .collect();
        driver.state().swapchains.insert(swapchain.as_raw(), images.clone());
        images
    });
    // SAFETY: the specification demands a count and, if given, an array of that many elements.
    unsafe { fill(&images, count, out) }
}

fn acquire_into(driver: &'static Driver, out: *mut u32) -> vk::Result {
    let mut state = driver.state();
    // SAFETY: the specification demands a valid pointer.
    unsafe { out.write(state.acquired % driver.options.swapchain_images) };
    state.acquired += 1;
    vk::Result::SUCCESS
}

/// vkAcquireNextImageKHR.
pub(crate) fn acquire(
    driver: &'static Driver,
    (_, _, _, _, _, out): (vk::Device, vk::SwapchainKHR, u64, vk::Semaphore, vk::Fence, *mut u32),
) -> vk::Result {
    acquire_into(driver, out)
}

/// vkAcquireNextImage2KHR.
pub(crate) fn acquire2<I>(driver: &'static Driver, (_, _, out): (vk::Device, *const I, *mut u32)) -> vk::Result {
    acquire_into(driver, out)
}
