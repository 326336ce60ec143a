"""Three frames of a triangle with 4x MSAA, resolve and depth, drawn by wgpu without a window; prints a hash of the pixels.

A program that knows nothing of the layer: WebGPU's own validation, state tracking and barriers stand between it and Vulkan.
"""

import hashlib
import wgpu

SIZE, FORMAT, DEPTH = (512, 256, 1), wgpu.TextureFormat.rgba8unorm, wgpu.TextureFormat.depth24plus
SHADER = """
@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(i % 2u) * 1.5 - 0.7, f32(i / 2u) * 1.5 - 0.7, 0.5, 1.0);
}
@fragment fn fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(at.x / 512.0, at.y / 256.0, 0.25, 1.0);
}
"""


def main():
    device = wgpu.gpu.request_adapter_sync().request_device_sync()
    module = device.create_shader_module(code=SHADER)
    usage = wgpu.TextureUsage

    def texture(label, format, samples, extra=0):
        return device.create_texture(
            label=label, size=SIZE, format=format, sample_count=samples, usage=usage.RENDER_ATTACHMENT | extra
        )

    samples = texture("samples", FORMAT, 4)
    depth = texture("depth", DEPTH, 4)
    resolved = texture("resolved", FORMAT, 1, usage.COPY_SRC)
    pipeline = device.create_render_pipeline(
        layout="auto",
        vertex={"module": module, "entry_point": "vertex"},
        primitive={"topology": wgpu.PrimitiveTopology.triangle_list},
        depth_stencil={"format": DEPTH, "depth_write_enabled": True, "depth_compare": wgpu.CompareFunction.less},
        multisample={"count": 4},
        fragment={"module": module, "entry_point": "fragment", "targets": [{"format": FORMAT}]},
    )
    row = SIZE[0] * 4
    for _ in range(3):
        encoder = device.create_command_encoder()
        rendering = encoder.begin_render_pass(
            label="scene",
            color_attachments=[
                {
                    "view": samples.create_view(),
                    "resolve_target": resolved.create_view(),
                    "clear_value": (0.0, 0.0, 0.0, 1.0),
                    "load_op": "clear",
                    "store_op": "store",
                }
            ],
            depth_stencil_attachment={
                "view": depth.create_view(),
                "depth_clear_value": 1.0,
                "depth_load_op": "clear",
                "depth_store_op": "store",
            },
        )
        rendering.set_pipeline(pipeline)
        rendering.draw(3)
        rendering.end()
        device.queue.submit([encoder.finish()])
    source = {"texture": resolved, "mip_level": 0, "origin": (0, 0, 0)}
    pixels = device.queue.read_texture(source, {"offset": 0, "bytes_per_row": row, "rows_per_image": SIZE[1]}, SIZE)
    print(hashlib.sha256(bytes(pixels)).hexdigest())


main()
