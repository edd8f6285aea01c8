"""Programs of sessions that become training steps with a GradientTape."""
