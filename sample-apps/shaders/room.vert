#version 450
// Places triangles given in pixels; depth is linear, albedo and normal are constant over each triangle.
layout(location = 0) in vec3 position; // x and y in pixels, z is the depth
layout(location = 1) in vec3 albedo_in;
layout(location = 2) in vec3 normal_in;
layout(location = 0) flat out vec3 albedo;
layout(location = 1) flat out vec3 normal;

layout(push_constant) uniform Placement {
    vec2 scale; // 2 / size of the framebuffer
};

void main() {
    gl_Position = vec4(position.xy * scale - 1.0, position.z, 1.0);
    albedo = albedo_in;
    normal = normal_in;
}
