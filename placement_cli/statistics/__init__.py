"""Pure statistics: no clock, no device, no file."""
