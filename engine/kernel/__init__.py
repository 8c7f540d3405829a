"""The op language: what an op may say, and how it becomes the text of a kernel."""
