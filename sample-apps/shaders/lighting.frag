#version 450
#extension GL_GOOGLE_include_directive : require
// All light reaches every pixel.
#include "lighting.glsl"

void main() {
    colour = lit(1.0);
}
