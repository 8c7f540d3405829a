"""What the window holds, as values and documents: grades, history, versions, views and sessions."""
