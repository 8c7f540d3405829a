"""The window's data model, as values and documents: grades, history, versions, views and sessions."""
