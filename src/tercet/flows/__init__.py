"""The manifest face: runs handlers of manifests on the engine."""
