"""Tools that come with Tercet."""
