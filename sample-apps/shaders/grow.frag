#version 450
// A picture and one of half its size, added.
layout(set = 0, binding = 0) uniform sampler2D fine;
layout(set = 0, binding = 1) uniform sampler2D coarse;
layout(location = 0) out vec4 colour;

layout(push_constant) uniform Weights {
    vec2 weights; // of the fine and of the coarse picture
};

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 half_way = min(at / 2, textureSize(coarse, 0) - 1);
    colour = vec4(texelFetch(fine, at, 0).rgb * weights.x + texelFetch(coarse, half_way, 0).rgb * weights.y, 1.0);
}
