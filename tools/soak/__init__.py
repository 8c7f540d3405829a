"""Random use of real windows, compared with a model of what they must hold."""
