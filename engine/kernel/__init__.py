"""The op language: the functions that an op may use, and the code generator for kernels."""
