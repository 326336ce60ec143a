#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Shows the depth map that stands in an array at an element known at run time only.
layout(set = 0, binding = 0) uniform sampler2D maps[];
layout(location = 0) out vec4 colour;

layout(push_constant) uniform Which {
    uint element;
};

void main() {
    float depth = texelFetch(maps[element], ivec2(gl_FragCoord.xy), 0).r;
    colour = vec4(depth * vec3(1.0, 0.5, 0.25), 1.0);
}
