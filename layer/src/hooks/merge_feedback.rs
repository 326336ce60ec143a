//! VK_EXT_subpass_merge_feedback, provided by the layer where the setting `merge_feedback` says so and the driver lacks it.
//!
//! What is said of a render pass is what the first GPU modelled would make of it, for a framebuffer of one layer that the render area
//! covers: no image is known when a render pass is made. Nothing of the extension reaches the driver; nothing but the application's structs
//! for answers is written. Where the driver has the extension it answers, and its answer is recorded.

use crate::abi::{Shortened, find, find_out, slice};
use crate::dispatch::instances::{self, Instance};
use crate::dispatch::key;
use crate::hooks::instance::copy;
use crate::record::PassTemplate;
use ash::vk::{self, Handle, StructureType as S};
use std::ffi::c_char;
use std::sync::Arc;
use tbdr_model::frame::{DriverMerging, DriverSubpass};
use tbdr_model::gpu::{Grouping, MergeStatus, Profile};
use tbdr_model::model;

/// vkGetPhysicalDeviceFeatures2.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_physical_device_features2(
    physical_device: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: a live physical device; the application's own arguments.
    unsafe {
        let Some(instance) = instances::find(key(physical_device.as_raw())) else { return };
        if let Some(next) = instance.next.get_physical_device_features2 {
            next(physical_device, features);
            offer(&instance, features);
        }
    }
}

/// vkGetPhysicalDeviceFeatures2KHR.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn get_physical_device_features2_khr(
    physical_device: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: a live physical device; the application's own arguments.
    unsafe {
        let Some(instance) = instances::find(key(physical_device.as_raw())) else { return };
        if let Some(next) = instance.next.get_physical_device_features2_khr {
            next(physical_device, features);
            offer(&instance, features);
        }
    }
}

/// Answers for the feature, which the driver has, or the layer provides.
///
/// # Safety
/// `features` is the argument of a query in progress.
unsafe fn offer(instance: &Instance, features: *mut vk::PhysicalDeviceFeatures2<'_>) {
    if !instance.merge_feedback {
        return;
    }
    // SAFETY: by the caller's promise; the chain is one for answers.
    let found = unsafe {
        let chain = features.as_ref().map(|f| f.p_next);
        chain.and_then(|chain| find_out::<vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT<'_>>(chain))
    };
    if let Some(found) = found {
        found.subpass_merge_feedback = vk::TRUE;
    }
}

/// Whether the extension is there without this layer: who has it must support its feature, and who does not know it leaves the struct
/// alone. `None` where the application's version of Vulkan has no such question. The list of extensions is no answer: the loader adds those
/// of implicit layers to it.
///
/// # Safety
/// `physical_device` is live.
pub unsafe fn is_known_below(instance: &Instance, physical_device: vk::PhysicalDevice) -> Option<bool> {
    let next = instance.features2?;
    let mut own = vk::PhysicalDeviceSubpassMergeFeedbackFeaturesEXT::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut own);
    // SAFETY: the next layer's function; structs of this function's own.
    unsafe { next(physical_device, &raw mut features) };
    Some(own.subpass_merge_feedback != vk::FALSE)
}

/// Whether a struct belongs to the extension.
pub fn is_of_extension(s_type: S) -> bool {
    matches!(
        s_type,
        S::PHYSICAL_DEVICE_SUBPASS_MERGE_FEEDBACK_FEATURES_EXT
            | S::RENDER_PASS_CREATION_CONTROL_EXT
            | S::RENDER_PASS_CREATION_FEEDBACK_CREATE_INFO_EXT
            | S::RENDER_PASS_SUBPASS_FEEDBACK_CREATE_INFO_EXT
    )
}

/// A VkRenderPassCreateInfo2 without the structs of the extension. Everything else in it is the application's.
pub struct Bare {
    /// The struct for the layer below.
    pub info: vk::RenderPassCreateInfo2<'static>,
    _chains: Vec<Option<Shortened>>,
    _subpasses: Vec<vk::SubpassDescription2<'static>>,
}

impl Bare {
    /// `None` where the application's own struct has none of the extension.
    ///
    /// # Safety
    /// `info` is the argument of a vkCreateRenderPass2 in progress, and stays so while the result is used.
    pub unsafe fn new(info: &vk::RenderPassCreateInfo2<'_>) -> Option<Self> {
        // SAFETY: the array and the chains of a valid create info, copied as they are.
        unsafe {
            let given = slice(info.p_subpasses, info.subpass_count);
            let mut chains: Vec<_> = given.iter().map(|s| Shortened::without(s.p_next, is_of_extension)).collect();
            chains.push(Shortened::without(info.p_next, is_of_extension));
            if chains.iter().all(Option::is_none) {
                return None;
            }
            let first = |chain: &Option<Shortened>, own| chain.as_ref().map_or(own, Shortened::first);
            let given = slice(info.p_subpasses.cast::<vk::SubpassDescription2<'static>>(), info.subpass_count);
            let bare = |(s, chain): (&vk::SubpassDescription2<'static>, &Option<Shortened>)| vk::SubpassDescription2 {
                p_next: first(chain, s.p_next),
                ..*s
            };
            let subpasses: Vec<_> = given.iter().zip(&chains).map(bare).collect();
            let mut copied = std::ptr::from_ref(info).cast::<vk::RenderPassCreateInfo2<'static>>().read();
            copied.p_next = first(chains.last().unwrap_or(&None), info.p_next);
            copied.p_subpasses = if subpasses.is_empty() { info.p_subpasses.cast() } else { subpasses.as_ptr() };
            Some(Self { info: copied, _chains: chains, _subpasses: subpasses })
        }
    }
}

/// What a GPU makes of a render pass.
pub fn predict(profile: &Profile, template: &PassTemplate) -> Arc<Grouping> {
    model::merging(&template.unbound(), profile)
}

/// Writes what is said of a render pass into the application's structs for answers; without a prediction, that nothing is merged.
///
/// # Safety
/// `info` is the argument of a vkCreateRenderPass2 that has succeeded and is still in progress.
pub unsafe fn answer(info: &vk::RenderPassCreateInfo2<'_>, predicted: Option<(&Profile, &Grouping)>) {
    // SAFETY: the array and the chains of a valid create info; the pointers in them are for answers, by valid usage.
    unsafe {
        if let Some(whole) = find::<vk::RenderPassCreationFeedbackCreateInfoEXT<'_>>(info.p_next) {
            if let Some(to) = whole.p_render_pass_feedback.as_mut() {
                let groups = predicted.map(|(_, grouping)| grouping.groups.len() as u32);
                to.post_merge_subpass_count = groups.unwrap_or(info.subpass_count);
            }
        }
        for (number, subpass) in slice(info.p_subpasses, info.subpass_count).iter().enumerate() {
            let own = find::<vk::RenderPassSubpassFeedbackCreateInfoEXT<'_>>(subpass.p_next);
            let Some(to) = own.and_then(|own| own.p_subpass_feedback.as_mut()) else { continue };
            let verdict = predicted.and_then(|(profile, grouping)| {
                let verdict = grouping.verdicts.get(number)?;
                let index = grouping.groups.iter().position(|group| group.contains(&number))?;
                Some((verdict.status, index, format!("modelled for {}: {}", profile.id, verdict.note)))
            });
            let (status, index, words) =
                verdict.unwrap_or((MergeStatus::Unspecified, number, "Tilelens cannot tell".into()));
            to.subpass_merge_status = vk::SubpassMergeStatusEXT::from_raw(status as i32);
            to.post_merge_index = index as u32;
            describe(&words, &mut to.description);
        }
    }
}

/// What the driver has written into the application's structs for answers.
///
/// # Safety
/// `info` is the argument of a vkCreateRenderPass2 that has succeeded and is still in progress, on a device whose driver has the extension.
pub unsafe fn heard(info: &vk::RenderPassCreateInfo2<'_>) -> Option<DriverMerging> {
    // SAFETY: the array and the chains of a valid create info; the driver has filled in what their pointers show.
    unsafe {
        let whole = find::<vk::RenderPassCreationFeedbackCreateInfoEXT<'_>>(info.p_next);
        let whole = whole.and_then(|whole| whole.p_render_pass_feedback.as_ref());
        let subpass = |(number, subpass): (u32, &vk::SubpassDescription2<'_>)| {
            let own = find::<vk::RenderPassSubpassFeedbackCreateInfoEXT<'_>>(subpass.p_next)?;
            let said = own.p_subpass_feedback.as_ref()?;
            let words: Vec<u8> = said.description.iter().map(|c| *c as u8).take_while(|c| *c != 0).collect();
            Some(DriverSubpass {
                subpass: number,
                status: said.subpass_merge_status.as_raw(),
                post_merge_index: said.post_merge_index,
                description: String::from_utf8_lossy(&words).into_owned(),
            })
        };
        let subpasses: Vec<_> = (0..).zip(slice(info.p_subpasses, info.subpass_count)).filter_map(subpass).collect();
        let post_merge_subpasses = whole.map(|whole| whole.post_merge_subpass_count);
        (post_merge_subpasses.is_some() || !subpasses.is_empty())
            .then_some(DriverMerging { post_merge_subpasses, subpasses })
    }
}

/// The words as a terminated string, cut where they are too long.
fn describe(words: &str, to: &mut [c_char; vk::MAX_DESCRIPTION_SIZE]) {
    let mut room = words.len().min(to.len() - 1);
    while !words.is_char_boundary(room) {
        room -= 1;
    }
    to.fill(0);
    copy(&words[..room], to);
}
