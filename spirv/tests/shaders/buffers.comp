#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_KHR_memory_scope_semantics : require
// Every way to read buffers, and by WRITES one to write them: glslc --target-env=vulkan1.2 -DREFERENCES -DWRITES=n for buffers.n.comp.spv;
// without REFERENCES and for vulkan1.0, whose storage buffers are declared as before SPIR-V 1.3, for buffers.old.n.comp.spv.
layout(local_size_x = 8) in;

layout(set = 0, binding = 0) uniform Constants { float scale; int index; };
// Neither is declared to be read only.
layout(set = 0, binding = 1) buffer Weights { int count; float weights[]; };
layout(set = 0, binding = 2) buffer Lights { vec4 position; vec4 colour[4]; } lights[2];
layout(set = 0, binding = 3, r32f) uniform imageBuffer texels;
layout(set = 0, binding = 4, r32ui) uniform uimageBuffer counters;
layout(set = 0, binding = 5) uniform samplerBuffer table;
layout(set = 0, binding = 6, rgba8) writeonly uniform image2D target;
#ifdef REFERENCES
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430) buffer Node { Node next; float value; };
layout(push_constant) uniform Head { Node head; };
#endif

shared float sums[8];
shared int highest;

float sum(float values[4]) { float all = 0; for (int i = 0; i < 4; i++) all += values[i]; return all; }
void out_of(out float to) { to = scale; }
void nobody_calls() { weights[0] = 1; }

void main() {
    float local[4] = float[](weights[index], lights[index].colour[1].x, imageLoad(texels, index).x, texelFetch(table, index).x);
    float whole;
    local[0] = modf(local[0], whole) + float(weights.length() + count);
    out_of(local[2]);
#ifdef REFERENCES
    for (Node node = head; node.value > 0; node = node.next) local[3] += node.value;
    local[1] += float(atomicLoad(count, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire));
#endif
    sums[gl_LocalInvocationIndex] = sum(local) * whole;
    atomicMax(highest, index);
    barrier();
    imageStore(target, ivec2(gl_GlobalInvocationID.xy), vec4(sums[7 - gl_LocalInvocationIndex] + float(highest)));
#if WRITES == 1
    weights[index] = scale;
#elif WRITES == 2
    atomicAdd(count, 1);
#elif WRITES == 3
    lights[index].colour[2].y = scale;
#elif WRITES == 4
    out_of(weights[1]);
#elif WRITES == 5
    local[0] = modf(scale, weights[2]);
#elif WRITES == 6
    head.next.value = scale;
#elif WRITES == 7
    imageStore(texels, index, vec4(scale));
#elif WRITES == 8
    imageAtomicAdd(counters, index, 1u);
#endif
}
