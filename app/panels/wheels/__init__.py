"""The Wheels panel: the wheels of an entry of the grade, large and in a row."""
