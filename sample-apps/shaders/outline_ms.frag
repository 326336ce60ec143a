#version 450
#extension GL_GOOGLE_include_directive : require
// Reads the first sample of a multisampled depth image.
#define DEPTH sampler2DMS
#include "outline.glsl"
