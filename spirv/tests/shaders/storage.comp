#version 450
// Every way to use a storage image.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, rgba8) readonly uniform image2D source;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D target;
layout(set = 0, binding = 2, rgba8) uniform image2D both;
layout(set = 0, binding = 3, r32ui) uniform uimage2D counted;
layout(set = 0, binding = 4, rgba8) uniform image2D measured;
layout(set = 0, binding = 5, rgba8) uniform image2D unmarked[2];
layout(set = 0, binding = 6, rgba8) uniform imageBuffer texels;

void fill(writeonly image2D to) { imageStore(to, ivec2(0), vec4(0)); }

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(target, at, imageLoad(source, at));
    imageStore(both, at, imageLoad(both, at));
    imageAtomicAdd(counted, at, uint(imageSize(measured).x));
    fill(unmarked[1]);
    imageStore(texels, 0, vec4(0));
}
