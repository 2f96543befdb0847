"""The embedded default: `python3 -m casino.local run|test|manage` on a machine with nothing but Python."""
