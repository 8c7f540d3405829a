"""What Tessera does with inputs, as its commands and its window do it."""
