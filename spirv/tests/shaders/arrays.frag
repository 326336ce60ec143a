#version 450
#extension GL_EXT_nonuniform_qualifier : require
// One element by name, one by a number of the draw, one by a specialization constant, any of as many as there are.
layout(constant_id = 7) const int CHOSEN = 2;
layout(set = 0, binding = 0) uniform sampler2D named[3];
layout(set = 0, binding = 1) uniform sampler2D indexed[4];
layout(set = 0, binding = 2) uniform sampler2D specialized[4];
layout(set = 1, binding = 5) uniform texture2D bindless[];
layout(set = 1, binding = 6) uniform sampler how;
layout(push_constant) uniform Draw { int number; };
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;

void main() {
    colour = texture(named[1], at) + texture(indexed[number], at) + texture(specialized[CHOSEN], at) +
             texture(sampler2D(bindless[nonuniformEXT(number)], how), at);
}
