"""The benchmark: `make bench`. Each figure stands beside what it is compared with, from one interleaved run."""
