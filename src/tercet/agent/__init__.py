"""The agent executor: a model that calls tools in turns, durably, within limits (spec 3)."""
