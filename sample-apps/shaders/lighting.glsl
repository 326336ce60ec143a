// Lights the G-buffer of this pixel with four point lights. The sky shines by itself: there no light is left out.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput depth_in;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput albedo_in;
layout(input_attachment_index = 2, set = 0, binding = 2) uniform subpassInput normal_in;
layout(location = 0) out vec4 colour;

layout(push_constant) uniform View {
    vec2 scale;    // 2 / size of the framebuffer
    vec2 tangents; // half the size of the picture at distance 1
    vec2 planes;   // distance of the near and of the far plane
    vec2 unused;
    vec4 lights[4]; // position, intensity
};

const float AMBIENT = 0.08;

// The colour of this pixel when `kept` of its light reaches it.
vec4 lit(float kept) {
    float depth = subpassLoad(depth_in).r;
    vec3 albedo = subpassLoad(albedo_in).rgb;
    if (depth >= 1.0) {
        return vec4(albedo, 1.0);
    }
    vec3 normal = (subpassLoad(normal_in).rgb * 1023.0 - 512.0) / 511.0;
    float distance = planes.x * planes.y / (planes.y - depth * (planes.y - planes.x));
    vec3 position = vec3((gl_FragCoord.xy * scale - 1.0) * tangents * distance, distance);
    float light = AMBIENT;
    for (int i = 0; i < 4; ++i) {
        vec3 to = lights[i].xyz - position;
        float square = dot(to, to);
        light += lights[i].w * max(dot(normal, to), 0.0) * inversesqrt(square) / (1.0 + 0.25 * square);
    }
    return vec4(albedo * light * kept, 1.0);
}
