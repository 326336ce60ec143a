#version 450
// An input attachment and a texel buffer: no image that a descriptor reaches.
layout(set = 0, binding = 0, input_attachment_index = 0) uniform subpassInput before;
layout(set = 0, binding = 1) uniform samplerBuffer texels;
layout(location = 0) out vec4 colour;

void main() {
    colour = subpassLoad(before) + texelFetch(texels, 0);
}
