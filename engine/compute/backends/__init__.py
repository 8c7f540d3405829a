"""The backends: CPU, wgpu, CUDA and OpenCL."""
