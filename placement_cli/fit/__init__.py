"""Constants from timings: robust fits, how sure they are, and how well they choose on timings they did not see."""
