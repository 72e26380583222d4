"""Pictures of a run, one file each: from a document to charts and their tables."""
