"""Controls that know nothing of documents."""
