"""Dialogs and prompts."""
