"""The host and the device on one time axis: what a message costs under a placement of evaluation points."""
