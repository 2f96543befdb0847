"""The catalogues of translations: `make messages` (docs/translating.md)."""
