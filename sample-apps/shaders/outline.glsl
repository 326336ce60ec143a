// Draws dark outlines where the depth bends or jumps: five taps of depth, one of colour.
// DEPTH is the sampler of the depth; its texels are fetched with the last argument 0: level 0, or sample 0.
layout(set = 0, binding = 0) uniform sampler2D colour_in;
layout(set = 0, binding = 1) uniform DEPTH depth_in;
layout(location = 0) out vec4 colour;

const float STRENGTH = 20.0;

float depth_at(ivec2 at, ivec2 last) {
    return texelFetch(depth_in, clamp(at, ivec2(0), last), 0).r;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(colour_in, 0) - 1;
    float around = depth_at(at - ivec2(1, 0), last) + depth_at(at + ivec2(1, 0), last) +
                   depth_at(at - ivec2(0, 1), last) + depth_at(at + ivec2(0, 1), last);
    float edge = clamp(abs(around - 4.0 * depth_at(at, last)) * STRENGTH, 0.0, 1.0);
    colour = vec4(texelFetch(colour_in, at, 0).rgb * (1.0 - edge), 1.0);
}
