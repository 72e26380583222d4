"""Planning products on this machine: whose prices, which plan for which length, and what was measured."""
