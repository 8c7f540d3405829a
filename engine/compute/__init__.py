"""Execution of ops on images: plan, executor, streaming and backends."""
