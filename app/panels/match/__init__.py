"""The panel that matches colours."""
