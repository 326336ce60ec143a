#version 450
// How much light reaches a pixel between the four things around it: those that stand in front of it take some away.
layout(set = 0, binding = 0) uniform sampler2D depth_in;
layout(location = 0) out float kept;

const int REACH = 2;         // pixels
const float SLOPE = 20.0;    // a tap this much nearer, one by it, takes all it can
const float STRENGTH = 0.75; // what all four taps together can take

float depth_at(ivec2 at, ivec2 last) {
    return texelFetch(depth_in, clamp(at, ivec2(0), last), 0).r;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(depth_in, 0) - 1;
    vec4 taps = vec4(depth_at(at - ivec2(REACH, 0), last), depth_at(at + ivec2(REACH, 0), last),
                     depth_at(at - ivec2(0, REACH), last), depth_at(at + ivec2(0, REACH), last));
    vec4 taken = clamp((depth_at(at, last) - taps) * SLOPE, 0.0, 1.0);
    kept = 1.0 - STRENGTH * dot(taken, vec4(0.25));
}
