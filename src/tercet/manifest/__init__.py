"""Manifests: schema, loader with places, checks, graph, formatting, scaffold."""
