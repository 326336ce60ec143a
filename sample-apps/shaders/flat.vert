#version 450
// Places triangles given in pixels; depth and colour are constant over each triangle.
layout(location = 0) in vec3 position; // x and y in pixels, z is the depth
layout(location = 1) in vec3 colour;
layout(location = 0) flat out vec3 shade;
// Passes that compare depths for equality draw the same triangles with several pipelines.
invariant gl_Position;

layout(push_constant) uniform Placement {
    vec2 scale;  // 2 / size of the framebuffer
    vec2 offset; // pixels
};

void main() {
    gl_Position = vec4((position.xy + offset) * scale - 1.0, position.z, 1.0);
    shade = colour;
}
