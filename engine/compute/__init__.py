"""Running ops on images: plan, executor, streaming and the backends."""
