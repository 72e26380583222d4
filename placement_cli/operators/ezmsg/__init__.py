"""The same operators through the processors of ezmsg-sigproc, imported only when one of them is made."""
