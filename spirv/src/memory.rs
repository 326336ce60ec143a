//! Which instructions may write memory that a program sees beside its images: storage buffers, what addresses lead to, tensors.
//!
//! A pointer's storage class stands in its type, so whatever a pointer was derived from (chains, selections, parameters, loads of
//! pointers, integers), its type says where it leads. Only what is known to write nothing, or to write on the chip, counts as that.

use crate::declarations::Declarations;
use crate::words::Instruction;
use spirv::{Op, StorageClass};

/// Whether pointers of a storage class may lead to what other work sees. Class Uniform may: `BufferBlock` is how storage buffers were
/// declared before SPIR-V 1.3. Classes that nobody knows may.
pub fn is_memory(class: u32) -> bool {
    use StorageClass as S;
    let own = [
        // Read by definition: handles, inputs, push constants.
        S::UniformConstant,
        S::Input,
        S::PushConstant,
        // Of the invocation or its workgroup.
        S::Output,
        S::Workgroup,
        S::Private,
        S::Function,
        S::TaskPayloadWorkgroupEXT,
        // Of the rays that an invocation traces.
        S::CallableDataKHR,
        S::IncomingCallableDataKHR,
        S::RayPayloadKHR,
        S::IncomingRayPayloadKHR,
        S::HitAttributeKHR,
        // Texels: what is done to images is told as such.
        S::Image,
    ];
    !own.iter().any(|known| *known as u32 == class)
}

/// Whether an instruction in a function may write such memory. What is done to images, texel buffers among them, and what called
/// functions do is not counted here.
pub fn may_write(declared: &Declarations<'_>, op: Op, it: &Instruction<'_>) -> bool {
    let elsewhere = |pointer: u32| declared.leads_to_memory(pointer) != Some(false);
    match op {
        Op::Store
        | Op::CopyMemory
        | Op::CopyMemorySized
        | Op::AtomicStore
        | Op::CooperativeMatrixStoreKHR
        | Op::CooperativeMatrixStoreNV
        | Op::CooperativeMatrixStoreTensorNV
        | Op::CooperativeVectorStoreNV => elsewhere(it.word(1)),
        op if changes(op) => elsewhere(it.word(3)),
        Op::ExtInst | Op::ExtInstWithForwardRefsKHR if declared.is_silent(it.word(3)) => false,
        // Some return a second result through a pointer.
        Op::ExtInst => {
            !declared.is_arithmetic(it.word(3))
                || it.rest(5).iter().any(|operand| declared.leads_to_memory(*operand) == Some(true))
        }
        op => !keeps(op),
    }
}

fn between(op: Op, first: Op, last: Op) -> bool {
    (first as u32..=last as u32).contains(&(op as u32))
}

/// Atomics that change what their first operand points to.
fn changes(op: Op) -> bool {
    between(op, Op::AtomicExchange, Op::AtomicXor)
        || matches!(op, Op::AtomicFMinEXT | Op::AtomicFMaxEXT | Op::AtomicFAddEXT)
}

/// Instructions that write no memory whatever their operands are.
fn keeps(op: Op) -> bool {
    // The skeleton, arithmetic, and what is done to images.
    between(op, Op::Nop, Op::Line)
        || between(op, Op::Function, Op::Variable)
        || matches!(op, Op::ImageTexelPointer | Op::Load | Op::AtomicLoad)
        || between(op, Op::AccessChain, Op::ArrayLength)
        || op == Op::InBoundsPtrAccessChain
        || between(op, Op::VectorExtractDynamic, Op::ImageQuerySamples)
        || between(op, Op::ConvertFToU, Op::QuantizeToF16)
        || matches!(op, Op::ConvertPtrToU | Op::ConvertUToPtr | Op::Bitcast)
        || between(op, Op::SNegate, Op::FwidthCoarse)
        || between(op, Op::EmitVertex, Op::MemoryBarrier)
        || between(op, Op::Phi, Op::LifetimeStop)
        || between(op, Op::ImageSparseSampleImplicitLod, Op::NoLine)
        || op == Op::ImageSparseRead
        || between(op, Op::GroupNonUniformElect, Op::GroupNonUniformQuadSwap)
        || between(op, Op::CopyLogical, Op::PtrDiff)
        // Extensions: untyped pointers, subgroups, rays, matrices, meshes.
        || between(op, Op::ColorAttachmentReadEXT, Op::StencilAttachmentReadEXT)
        || between(op, Op::TerminateInvocation, Op::FmaKHR)
        || between(op, Op::SubgroupAllKHR, Op::SubgroupReadInvocationKHR)
        || between(op, Op::TraceRayKHR, Op::SUDotAccSat)
        || matches!(
            op,
            Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixMulAddKHR | Op::CooperativeMatrixLengthKHR
        )
        || op == Op::CompositeConstructReplicateEXT
        || between(op, Op::RayQueryInitializeKHR, Op::RayQueryGetIntersectionTypeKHR)
        || between(op, Op::RayQueryGetRayTMinKHR, Op::RayQueryGetIntersectionWorldToObjectKHR)
        || between(op, Op::ImageSampleWeightedQCOM, Op::ImageBlockMatchSADQCOM)
        || between(op, Op::ImageBlockMatchWindowSSDQCOM, Op::ImageBlockMatchGatherSADQCOM)
        || between(op, Op::GroupIAddNonUniformAMD, Op::GroupSMaxNonUniformAMD)
        || matches!(op, Op::FragmentMaskFetchAMD | Op::FragmentFetchAMD | Op::ReadClockKHR)
        || matches!(op, Op::GroupNonUniformQuadAllKHR | Op::GroupNonUniformQuadAnyKHR)
        || matches!(op, Op::ImageSampleFootprintNV | Op::GroupNonUniformPartitionEXT)
        || matches!(op, Op::EmitMeshTasksEXT | Op::SetMeshOutputsEXT | Op::ReportIntersectionKHR)
        || op == Op::RayQueryGetIntersectionTriangleVertexPositionsKHR
        || matches!(op, Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT)
        || matches!(op, Op::DemoteToHelperInvocation | Op::IsHelperInvocationEXT)
        || matches!(op, Op::RawAccessChainNV | Op::AssumeTrueKHR | Op::ExpectKHR)
        || between(op, Op::GroupIMulKHR, Op::GroupLogicalXorKHR)
}
