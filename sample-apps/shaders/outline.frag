#version 450
#extension GL_GOOGLE_include_directive : require
// Reads a depth image with one sample.
#define DEPTH sampler2D
#include "outline.glsl"
