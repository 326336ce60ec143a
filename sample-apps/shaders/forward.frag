#version 450
// One sun, one colour for each face.
layout(location = 0) flat in vec3 albedo;
layout(location = 1) flat in vec3 normal;
layout(location = 0) out vec4 colour;

layout(push_constant) uniform Sun {
    layout(offset = 16) vec4 direction; // unit vector towards the sun
};

void main() {
    colour = vec4(albedo * (0.25 + 0.75 * max(dot(normal, direction.xyz), 0.0)), 1.0);
}
