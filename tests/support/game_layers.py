"""A contract type for import-linter: layers of which one is all the games (pyproject.toml)."""

from pathlib import Path
from typing import Any

from importlinter.contracts.layers import LayersContract

GAMES = "the games"
ROOT = Path(__file__).parents[2]


class GameLayers(LayersContract):
    """Replaces the layer named GAMES by the packages of all games, as siblings that may not import each other."""

    def __init__(self, name: str, session_options: dict[str, Any], contract_options: dict[str, Any]) -> None:
        layers = layers_with_games(contract_options["layers"])
        super().__init__(name, session_options, {**contract_options, "layers": layers})


def layers_with_games(layers: list[str]) -> list[str]:
    """Return the layers with GAMES replaced by the packages of all games, in import-linter's notation of siblings."""
    found = sorted(f"apps.{path.parent.name}" for path in ROOT.glob("apps/*/game.py"))
    return [" | ".join(found) if layer == GAMES else layer for layer in layers]
