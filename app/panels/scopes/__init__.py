"""The Scopes panel: scopes that the preview thread computes."""
