"""The tools that draw, drag and pick mattes on the canvas."""
