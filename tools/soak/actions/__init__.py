"""What is done to the windows: each action does it as a user would, and to the model."""
