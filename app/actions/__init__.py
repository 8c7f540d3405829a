"""The window's commands: tables of them, and the menus and keys that they make."""
