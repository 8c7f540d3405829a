"""What works behind the window: jobs, files, settings, watching, exports, colour spaces and playback."""
