#version 450
// Half a pixel and half the mean of its four neighbours.
layout(set = 0, binding = 0) uniform sampler2D picture;
layout(location = 0) out vec4 colour;

vec3 near(ivec2 at, ivec2 last) {
    return texelFetch(picture, clamp(at, ivec2(0), last), 0).rgb;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(picture, 0) - 1;
    vec3 around = near(at - ivec2(1, 0), last) + near(at + ivec2(1, 0), last) + near(at - ivec2(0, 1), last) +
                  near(at + ivec2(0, 1), last);
    colour = vec4(near(at, last) * 0.5 + around * 0.125, 1.0);
}
