"""Plans: what has to be done, in which order, by whom (spec 5)."""
