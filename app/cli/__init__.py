"""The command line: `tessera`."""
