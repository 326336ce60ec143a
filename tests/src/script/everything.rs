//! The whole script, from vkCreateInstance to vkDestroyInstance.

use super::{NO, Scene, descriptors, objects, other_work, presenting, recording, transfers};
use crate::fake::{App, Chain, handle};
use ash::vk;
use std::ptr;

/// Runs every command that the fake driver knows and that exists in this chain.
pub fn everything(chain: &Chain) {
    let app = chain.start();
    queries(&app);
    let instance_side = messenger(&app);
    let scene = Scene::new(app);
    let app = &scene.app;
    other_queue(app);

    let made = objects::create(&scene);
    objects::name(&scene, made.color.image, c"colour \x07<script>");
    objects::name(&scene, made.pass, c"pass");
    let described = descriptors::create(&scene, &made);
    recording::secondaries(app, &made);
    scene.record(|app, cb| {
        recording::outside(app, cb, &made);
        descriptors::bind(app, cb, &described);
        transfers::ordering(app, cb, &made);
        recording::passes(app, cb, &made);
        transfers::transfers(app, cb, &made);
        other_work::recorded(app, cb, &made);
    });
    other_work::by_host(app, &made);
    presenting::submit(&scene);
    presenting::present(&scene);
    call!(app, vkResetCommandBuffer(scene.buffer, vk::CommandBufferResetFlags::RELEASE_RESOURCES));
    scene.record(|app, cb| recording::passes(app, cb, &made));
    presenting::submit(&scene);
    call!(app, vkDeviceWaitIdle(app.device));
    call!(app, vkResetCommandPool(app.device, scene.pool, vk::CommandPoolResetFlags::empty()));
    let flags = vk::CommandPoolTrimFlags::empty();
    call!(app, vkTrimCommandPool | vkTrimCommandPoolKHR(app.device, scene.pool, flags));
    descriptors::destroy(app, &described);
    objects::destroy(&scene, &made);
    call!(app, vkDestroyCommandPool(app.device, scene.pool, NO));
    call!(app, vkDestroyDebugUtilsMessengerEXT(app.instance, instance_side, NO));
    scene.app.stop();
}

/// The queries of physical devices.
fn queries(app: &App) {
    let physical = app.physical;
    let mut count = 1;
    call!(app, vkEnumeratePhysicalDevices(app.instance, &mut count, ptr::null_mut()));
    let mut groups = vk::PhysicalDeviceGroupProperties::default();
    call!(
        app,
        vkEnumeratePhysicalDeviceGroups | vkEnumeratePhysicalDeviceGroupsKHR(app.instance, &mut count, &mut groups)
    );
    call!(app, vkGetPhysicalDeviceFeatures(physical, &mut vk::PhysicalDeviceFeatures::default()));
    let mut features = vk::PhysicalDeviceFeatures2::default();
    call!(app, vkGetPhysicalDeviceFeatures2 | vkGetPhysicalDeviceFeatures2KHR(physical, &mut features));
    let format = vk::Format::R8G8B8A8_UNORM;
    call!(app, vkGetPhysicalDeviceFormatProperties(physical, format, &mut vk::FormatProperties::default()));
    call!(app, vkGetPhysicalDeviceProperties(physical, &mut vk::PhysicalDeviceProperties::default()));
    let mut properties = vk::PhysicalDeviceProperties2::default();
    call!(app, vkGetPhysicalDeviceProperties2 | vkGetPhysicalDeviceProperties2KHR(physical, &mut properties));
    let mut family = vk::QueueFamilyProperties::default();
    call!(app, vkGetPhysicalDeviceQueueFamilyProperties(physical, &mut count, &mut family));
    let mut family = vk::QueueFamilyProperties2::default();
    call!(
        app,
        vkGetPhysicalDeviceQueueFamilyProperties2
            | vkGetPhysicalDeviceQueueFamilyProperties2KHR(physical, &mut count, &mut family)
    );
    call!(app, vkGetPhysicalDeviceMemoryProperties(physical, &mut vk::PhysicalDeviceMemoryProperties::default()));
    let mut memory = vk::PhysicalDeviceMemoryProperties2::default();
    call!(app, vkGetPhysicalDeviceMemoryProperties2 | vkGetPhysicalDeviceMemoryProperties2KHR(physical, &mut memory));
    let tools = ptr::null_mut();
    call!(app, vkGetPhysicalDeviceToolProperties | vkGetPhysicalDeviceToolPropertiesEXT(physical, &mut count, tools));
    call!(app, vkEnumerateDeviceExtensionProperties(physical, ptr::null(), &mut count, ptr::null_mut()));
    call!(app, vkEnumerateDeviceLayerProperties(physical, &mut count, ptr::null_mut()));
}

fn messenger(app: &App) -> vk::DebugUtilsMessengerEXT {
    let mut messenger = vk::DebugUtilsMessengerEXT::null();
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default();
    call!(app, vkCreateDebugUtilsMessengerEXT(app.instance, &info, NO, &mut messenger));
    let severity = vk::DebugUtilsMessageSeverityFlagsEXT::INFO;
    let kind = vk::DebugUtilsMessageTypeFlagsEXT::GENERAL;
    let data = vk::DebugUtilsMessengerCallbackDataEXT::default();
    call!(app, vkSubmitDebugUtilsMessageEXT(app.instance, severity, kind, &data));
    messenger
}

fn other_queue(app: &App) {
    let mut queue = vk::Queue::null();
    let info = vk::DeviceQueueInfo2::default().queue_index(1);
    call!(app, vkGetDeviceQueue2(app.device, &info, &mut queue));
    handle::set_dispatch(queue, handle::dispatch(app.device));
}
