#version 450
// The picture of this frame mixed with that of the frames before, which has moved meanwhile.
layout(set = 0, binding = 0) uniform sampler2D current;
layout(set = 0, binding = 1) uniform sampler2D history;
layout(location = 0) out vec4 colour;

layout(push_constant) uniform Motion {
    ivec2 motion; // pixels since the last frame
    float kept;   // weight of the history
};

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 before = texelFetch(history, clamp(at - motion, ivec2(0), textureSize(history, 0) - 1), 0).rgb;
    colour = vec4(texelFetch(current, at, 0).rgb * (1.0 - kept) + before * kept, 1.0);
}
