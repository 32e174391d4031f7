"""Atoll and its peers, measured side by side. bench/README.md is the map."""
