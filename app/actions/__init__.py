"""The window's commands: their tables, and the menus and shortcuts built from them."""
