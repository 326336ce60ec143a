#version 450
// Fills the G-buffer.
layout(location = 0) flat in vec3 albedo;
layout(location = 1) flat in vec3 normal;
layout(location = 0) out vec4 albedo_out;
layout(location = 1) out vec4 normal_out;

void main() {
    albedo_out = vec4(albedo, 1.0);
    // -1, 0 and 1 are exact in ten bits.
    normal_out = vec4((normal * 511.0 + 512.0) / 1023.0, 1.0);
}
