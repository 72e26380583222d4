"""What a project asks for in its configuration: read strictly, each value with its origin."""
