"""Controls that do not depend on documents."""
