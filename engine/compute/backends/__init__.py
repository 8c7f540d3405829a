"""The backends: CPU, wgpu and CUDA."""
