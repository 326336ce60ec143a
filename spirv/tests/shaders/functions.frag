#version 450
// Handles go through two functions; a third function that nobody calls reads more.
layout(set = 0, binding = 0) uniform sampler2D first;
layout(set = 0, binding = 1) uniform sampler2D second[2];
layout(set = 0, binding = 2) uniform sampler2D never;
layout(set = 0, binding = 3) uniform sampler2D measured;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;

vec4 inner(sampler2D from) { return texelFetch(from, ivec2(at), 0); }
vec4 outer(sampler2D from) { return inner(from) * 2.0; }
vec4 alone() { return texture(never, at); }

void main() {
    colour = outer(first) + inner(second[1]) * float(textureSize(measured, 0).x);
}
