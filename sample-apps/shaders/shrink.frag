#version 450
// Half the size: the mean of four texels.
layout(set = 0, binding = 0) uniform sampler2D larger;
layout(location = 0) out vec4 colour;

vec3 at(ivec2 at, ivec2 last) {
    return texelFetch(larger, min(at, last), 0).rgb;
}

void main() {
    ivec2 first = 2 * ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(larger, 0) - 1;
    vec3 sum = at(first, last) + at(first + ivec2(1, 0), last) + at(first + ivec2(0, 1), last) +
               at(first + ivec2(1, 1), last);
    colour = vec4(sum * 0.25, 1.0);
}
