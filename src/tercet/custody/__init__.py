"""The keeping of data: keys and their rotation, archives, exports."""
