#version 450
#extension GL_GOOGLE_include_directive : require
// Corners get less light: the mean of the ambient occlusion of five pixels, which hides the pattern of its taps.
#include "lighting.glsl"
layout(set = 0, binding = 3) uniform sampler2D occlusion;

float kept_at(ivec2 at, ivec2 last) {
    return texelFetch(occlusion, clamp(at, ivec2(0), last), 0).r;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(occlusion, 0) - 1;
    float around = kept_at(at - ivec2(1, 0), last) + kept_at(at + ivec2(1, 0), last) +
                   kept_at(at - ivec2(0, 1), last) + kept_at(at + ivec2(0, 1), last);
    colour = lit((around + kept_at(at, last)) / 5.0);
}
