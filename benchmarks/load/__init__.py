"""Load generators and the bare endpoint that figures stand beside."""
