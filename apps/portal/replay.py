"""The replay of a round and its proof for the player. The game's `Explanation` explains the round."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from apps.cards.shoe import INFINITE_DECKS
from apps.fairness.examples import EXAMPLE
from apps.rounds.explanation import ExplainedStep, Explanation
from apps.rounds.registry import game_ids
from apps.tables.explain import TableExplanation


@dataclass(frozen=True, slots=True)
class ReplaySeeds:
    """The seeds of a round. `server_seed` is empty until it is revealed."""

    commitment: str
    client_seed: str
    nonce: int
    decks: int
    server_seed: str
    hidden_until: str
    is_at_table: bool
    """Whether it was dealt from the rest of a table's shoe, with the seed of the table's round."""
    fields: Mapping[str, str]
    """The data from which the round is dealt again, by the names of the fields of that page."""

    @property
    def decks_text(self) -> str:
        return "endless" if self.decks == INFINITE_DECKS else str(self.decks)

    @property
    def verify_url(self) -> str:
        """The URL of the page that deals the round again."""
        return _filled("verify-table" if self.is_at_table else "verify", self.fields)


def steps_of(explanation: Explanation) -> list[dict[str, object]]:
    """Return the round's steps in the form of JSON."""
    return steps_shown(explanation.steps)


def steps_shown(steps: Iterable[ExplainedStep]) -> list[dict[str, object]]:
    """Return steps in the form of JSON."""
    return [
        {
            "text": step.text,
            "hands": [
                {"label": hand.label, "cards": list(hand.cards), "total": hand.total, "note": hand.note}
                for hand in step.hands
            ],
        }
        for step in steps
    ]


def proof_of(explanation: Explanation) -> ReplaySeeds:
    """Return the seeds of the round, with the server seed if it is revealed."""
    source = explanation.source
    return ReplaySeeds(
        commitment=source.commitment,
        client_seed=source.client_seed,
        nonce=source.nonce,
        decks=explanation.decks,
        server_seed=source.server_seed,
        hidden_until=source.hidden_until,
        is_at_table=explanation.played.table_round is not None,
        fields=_table_fields(explanation) if isinstance(explanation, TableExplanation) else _fields(explanation),
    )


def _fields(explanation: Explanation) -> dict[str, str]:
    source, dealt = explanation.source, explanation.dealt
    return {
        "game": explanation.played.game,
        "decks": str(explanation.decks),
        "server_seed": source.server_seed,
        "commitment": source.commitment,
        "client_seed": source.client_seed,
        "nonce": str(source.nonce),
        "cards": " ".join(dealt.cards),
        "places": " ".join(dealt.places),
    }


def _table_fields(explanation: TableExplanation) -> dict[str, str]:
    played = explanation.story.played
    return {
        "decks": str(0 if explanation.decks == INFINITE_DECKS else explanation.decks),
        "nonce": str(played.nonce),
        "server_seed": played.seed,
        "commitment": played.seed_hash,
        "chain": played.chain.commitment,
        "chain_round": str(played.number - played.chain.first_round + 1),
        "client_seed": played.client_seed,
        "shoe": " ".join(str(count) for count in played.shoe or ()),
        "cards": " ".join(explanation.dealt.cards),
    }


def verify_url(**fields: str) -> str:
    """Return the URL of the page that deals a round again."""
    return _filled("verify", fields)


def _filled(page: str, fields: Mapping[str, str]) -> str:
    """Return the page's URL with the fields in the fragment, which browsers do not send; empty ones are left out."""
    return f"{reverse(page)}#{urlencode({name: value for name, value in fields.items() if value})}"


def example_url() -> str:
    """Return the URL that deals the worked example of "How to check us"."""
    return verify_url(
        game=game_ids()[0],
        decks="8",
        server_seed=EXAMPLE.server_seed,
        commitment=EXAMPLE.commitment,
        client_seed=EXAMPLE.client_seed,
        nonce=str(EXAMPLE.nonce),
    )
