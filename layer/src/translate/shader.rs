//! The stages of pipelines and shader objects: which image descriptors they statically use.
//!
//! What a stage's code is, is known where SPIR-V was given: by a module, in the stage itself, or to a shader object. Code that only the
//! driver has (module identifiers, binary shaders, pipeline binaries) leaves the use unknown.

use crate::abi;
use crate::record::{Binding, Elements, Objects, StaticUse};
use ash::vk::{self, Handle};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;
use tilelens_spirv::{Element, ExecutionModel, Module};

/// VkShaderModuleCreateInfo.
///
/// # Safety
/// `info` is valid.
pub unsafe fn module(info: &vk::ShaderModuleCreateInfo<'_>) -> Module {
    // SAFETY: by the caller's promise.
    unsafe { scan(info.p_code.cast(), info.code_size) }
}

/// The stages of a pipeline that is being created.
///
/// # Safety
/// `stages` are valid.
pub unsafe fn stages(objects: &Objects, stages: &[vk::PipelineShaderStageCreateInfo<'_>]) -> StaticUse {
    let mut merged = Merged::default();
    for stage in stages {
        // SAFETY: the chain, the name and the specialization of a valid stage.
        unsafe {
            let module = match objects.shader_modules.get(stage.module.as_raw()) {
                Some(module) => Some(module),
                // Given with the stage, without an object (VK_KHR_maintenance5, graphics pipeline libraries).
                None if stage.module.is_null() => {
                    abi::find::<vk::ShaderModuleCreateInfo<'_>>(stage.p_next).map(|info| Arc::new(module(info)))
                }
                None => None,
            };
            merged.known &= !maps_bindings(stage.p_next);
            merged.stage(module.as_deref(), stage.stage, stage.p_name, stage.p_specialization_info);
        }
    }
    merged.finish()
}

/// A shader object that is being created.
///
/// # Safety
/// `info` is valid.
pub unsafe fn object(info: &vk::ShaderCreateInfoEXT<'_>) -> StaticUse {
    let mut merged = Merged::default();
    // SAFETY: the code, the chain, the name and the specialization of a valid create info.
    unsafe {
        let module = (info.code_type == vk::ShaderCodeTypeEXT::SPIRV).then(|| scan(info.p_code, info.code_size));
        merged.known &= !maps_bindings(info.p_next);
        merged.stage(module.as_ref(), info.stage, info.p_name, info.p_specialization_info);
    }
    merged.finish()
}

/// VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT.
const BINDING_MAPPING: i32 = 1_000_135_006;

/// Whether the bindings of a stage are looked up in a descriptor heap.
///
/// # Safety
/// `next` is the pNext of a valid struct.
unsafe fn maps_bindings(next: *const c_void) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { abi::chain(next) }.any(|item| item.s_type.as_raw() == BINDING_MAPPING)
}

/// # Safety
/// `code` points to `bytes` bytes.
unsafe fn scan(code: *const c_void, bytes: usize) -> Module {
    let code = code.cast::<u32>();
    if code.is_null() || !code.is_aligned() || bytes % 4 != 0 {
        return Module::default();
    }
    // SAFETY: by the caller's promise; aligned and of whole words here.
    Module::scan(unsafe { std::slice::from_raw_parts(code, bytes / 4) })
}

/// What several stages use together.
struct Merged {
    known: bool,
    pixel_shading: bool,
    keeps_memory: bool,
    bindings: BTreeSet<Binding>,
}

impl Default for Merged {
    fn default() -> Self {
        Self { known: true, pixel_shading: true, keeps_memory: true, bindings: BTreeSet::new() }
    }
}

impl Merged {
    /// # Safety
    /// `name` and `specialization` are those of a valid stage.
    unsafe fn stage(
        &mut self,
        module: Option<&Module>,
        stage: vk::ShaderStageFlags,
        name: *const c_char,
        specialization: *const vk::SpecializationInfo<'_>,
    ) {
        let per_pixel = |module: &Module| !module.entry_points.is_empty() && !module.sample_shading;
        self.pixel_shading &= stage != vk::ShaderStageFlags::FRAGMENT || module.is_some_and(per_pixel);
        // SAFETY: by the caller's promise.
        let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy());
        let entry_point = module
            .zip(name)
            .and_then(|(module, name)| models(stage).iter().find_map(|model| module.entry_point(*model, &name)));
        let Some(entry_point) = entry_point else {
            (self.known, self.keeps_memory) = (false, false);
            return;
        };
        self.known &= entry_point.known;
        // Of images that shaders write only those that can be attachments are recorded.
        self.keeps_memory &=
            entry_point.known && entry_point.keeps_memory && !entry_point.uses.iter().any(|used| used.kind.writes());
        // SAFETY: by the caller's promise.
        let specialization = unsafe { specialization.as_ref() };
        for used in &entry_point.uses {
            let elements = match used.element {
                Element::One(index) => Elements::One(index),
                // SAFETY: a valid specialization.
                Element::Specialized { id, default } => match unsafe { specialize(specialization, id) } {
                    Specialized::Left => Elements::One(default),
                    Specialized::To(index) => Elements::One(index),
                    Specialized::Unclear => Elements::Any,
                },
                Element::Any => Elements::Any,
            };
            let (set, binding, kind) = (used.set, used.binding, used.kind);
            self.bindings.insert(Binding { set, binding, kind, elements, stages: stage.as_raw() });
        }
    }

    fn finish(self) -> StaticUse {
        let Self { known, pixel_shading, keeps_memory, bindings } = self;
        StaticUse { known, pixel_shading, keeps_memory, bindings: bindings.into_iter().collect() }
    }
}

/// What a specialization says of a constant.
enum Specialized {
    Left,
    To(u32),
    Unclear,
}

/// # Safety
/// `info` is valid.
unsafe fn specialize(info: Option<&vk::SpecializationInfo<'_>>, id: u32) -> Specialized {
    let Some(info) = info else { return Specialized::Left };
    // SAFETY: the array of a valid specialization.
    let entries = unsafe { abi::slice(info.p_map_entries, info.map_entry_count) };
    let Some(entry) = entries.iter().find(|e| e.constant_id == id) else { return Specialized::Left };
    let (offset, size) = (entry.offset as usize, entry.size);
    if info.p_data.is_null() || !(1..=8).contains(&size) || offset.saturating_add(size) > info.data_size {
        return Specialized::Unclear;
    }
    let mut bytes = [0; 8];
    // SAFETY: inside the data by the check above.
    unsafe { std::ptr::copy_nonoverlapping(info.p_data.cast::<u8>().add(offset), bytes.as_mut_ptr(), size) };
    // The bytes of an integer of the host, which is little-endian wherever Vulkan's layers run.
    u32::try_from(u64::from_le_bytes(bytes)).map_or(Specialized::Unclear, Specialized::To)
}

/// Execution models of a stage's entry points.
fn models(stage: vk::ShaderStageFlags) -> &'static [ExecutionModel] {
    use ExecutionModel as E;
    use vk::ShaderStageFlags as S;
    match stage {
        S::VERTEX => &[E::Vertex],
        S::TESSELLATION_CONTROL => &[E::TessellationControl],
        S::TESSELLATION_EVALUATION => &[E::TessellationEvaluation],
        S::GEOMETRY => &[E::Geometry],
        S::FRAGMENT => &[E::Fragment],
        S::COMPUTE | S::SUBPASS_SHADING_HUAWEI => &[E::GLCompute],
        S::TASK_EXT => &[E::TaskEXT, E::TaskNV],
        S::MESH_EXT => &[E::MeshEXT, E::MeshNV],
        S::RAYGEN_KHR => &[E::RayGenerationKHR],
        S::ANY_HIT_KHR => &[E::AnyHitKHR],
        S::CLOSEST_HIT_KHR => &[E::ClosestHitKHR],
        S::MISS_KHR => &[E::MissKHR],
        S::INTERSECTION_KHR => &[E::IntersectionKHR],
        S::CALLABLE_KHR => &[E::CallableKHR],
        _ => &[],
    }
}
