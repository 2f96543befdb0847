"""The benchmark: `make bench`. Each figure is shown beside its comparison, from one interleaved run."""
