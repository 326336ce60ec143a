//! Video coding and optical flow: the pictures that they read and write are known, their bytes are not modelled.

use super::{command, device_of};
use crate::abi::{self, find, slice};
use crate::dispatch::devices::Device;
use crate::dispatch::guard::guard;
use crate::dispatch::table::HookId;
use crate::record::CommandBuffer;
use ash::vk::{self, Handle};
use tbdr_model::frame::{AccessKind, ImageAccess, ShaderAccess};

/// The pictures of one coding command.
#[derive(Default)]
struct Pictures(Vec<ImageAccess>);

impl Pictures {
    fn view(&mut self, device: &Device, state: &mut CommandBuffer, view: vk::ImageView, layer: u32, kind: AccessKind) {
        let Some(view) = device.recorder.objects.views.get(view.as_raw()) else { return };
        let image = state.recording().image(&view.image);
        let mut range = view.range;
        range.base_layer = range.base_layer.saturating_add(layer);
        range.layers = 1;
        self.0.push(ImageAccess { image: Some(image), range, kind, certain: true, ..ImageAccess::default() });
    }

    fn picture(
        &mut self,
        device: &Device,
        state: &mut CommandBuffer,
        picture: &vk::VideoPictureResourceInfoKHR<'_>,
        kind: AccessKind,
    ) {
        self.view(device, state, picture.image_view_binding, picture.base_array_layer, kind);
    }

    /// The reference pictures that are read, and the one that is reconstructed.
    ///
    /// # Safety
    /// Pointers of a valid coding command.
    unsafe fn slots(
        &mut self,
        device: &Device,
        state: &mut CommandBuffer,
        setup: *const vk::VideoReferenceSlotInfoKHR<'_>,
        references: &[vk::VideoReferenceSlotInfoKHR<'_>],
    ) {
        // SAFETY: by the caller's promise.
        unsafe {
            for picture in references.iter().filter_map(|slot| slot.p_picture_resource.as_ref()) {
                self.picture(device, state, picture, AccessKind::Read);
            }
            if let Some(picture) = setup.as_ref().and_then(|slot| slot.p_picture_resource.as_ref()) {
                self.picture(device, state, picture, AccessKind::Write);
            }
        }
    }

    fn finish(mut self, state: &mut CommandBuffer, command: &'static str) {
        self.0.sort_unstable();
        self.0.dedup();
        state.opaque(command, ShaderAccess::exactly(self.0));
    }
}

command! {
    /// vkCmdDecodeVideoKHR.
    cmd_decode_video(info: *const vk::VideoDecodeInfoKHR<'_>) |device, state| {
        let mut pictures = Pictures::default();
        // SAFETY: the argument of the call in progress, with its arrays.
        unsafe {
            let info = &*info;
            pictures.picture(device, state, &info.dst_picture_resource, AccessKind::Write);
            let references = slice(info.p_reference_slots, info.reference_slot_count);
            pictures.slots(device, state, info.p_setup_reference_slot, references);
        }
        pictures.finish(state, "vkCmdDecodeVideoKHR");
    }
}

command! {
    /// vkCmdEncodeVideoKHR.
    cmd_encode_video(info: *const vk::VideoEncodeInfoKHR<'_>) |device, state| {
        let mut pictures = Pictures::default();
        // SAFETY: the argument of the call in progress, with its arrays and chain.
        unsafe {
            let info = &*info;
            pictures.picture(device, state, &info.src_picture_resource, AccessKind::Read);
            let references = slice(info.p_reference_slots, info.reference_slot_count);
            pictures.slots(device, state, info.p_setup_reference_slot, references);
            if let Some(map) = find::<abi::VideoEncodeQuantizationMapInfo>(info.p_next) {
                pictures.view(device, state, map.quantization_map, 0, AccessKind::Read);
            }
        }
        pictures.finish(state, "vkCmdEncodeVideoKHR");
    }
}

/// vkBindOpticalFlowSessionImageNV: from now on the session may read or write the image, whichever command runs it.
///
/// # Safety
/// As the specification demands.
pub unsafe extern "system" fn bind_optical_flow_session_image(
    handle: vk::Device,
    session: vk::OpticalFlowSessionNV,
    point: vk::OpticalFlowSessionBindingPointNV,
    view: vk::ImageView,
    layout: vk::ImageLayout,
) -> vk::Result {
    // SAFETY: a live device; the application's own arguments.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(next) = device.next.bind_optical_flow_session_image else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = next(handle, session, point, view, layout);
        if result.as_raw() >= 0 {
            guard(HookId::bind_optical_flow_session_image, || {
                if let Some(view) = device.recorder.objects.views.get(view.as_raw()) {
                    view.image.reach_unseen();
                }
            });
        }
        result
    }
}
