#version 450
// Shows a depth map upside down and mirrored, as a light looks at it from the other side: every pixel reads a tile that is not its own.
layout(set = 0, binding = 0) uniform sampler2D map;
layout(location = 0) out vec4 colour;

void main() {
    float depth = texelFetch(map, textureSize(map, 0) - 1 - ivec2(gl_FragCoord.xy), 0).r;
    colour = vec4(depth * vec3(1.0, 0.5, 0.25), 1.0);
}
