#version 450
// Has a depth map and does not look at it: everything is lit.
layout(set = 0, binding = 0) uniform sampler2D map;
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(1.0, 0.5, 0.25, 1.0);
}
