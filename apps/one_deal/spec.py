"""The `GameSpec` of a one-deal game, with the parts that all such games share (docs/new-game.md)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.utils.functional import Promise
from drf_spectacular.utils import OpenApiExample

from apps.fairness.examples import EXAMPLE_COMMITMENT, EXAMPLE_SEEDS
from apps.one_deal.bet_endpoint import BetEndpoint
from apps.one_deal.bulk_check import rounds_doubted
from apps.one_deal.demo import demo_offer
from apps.one_deal.explain import OneDealExplanation, redeal, rules_from_text
from apps.one_deal.offer import house_edges, offer, unplayable, waiting
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.openapi import BetExamples, bet_documents
from apps.one_deal.page import table
from apps.one_deal.paytables import (
    paytables_add_missing,
    table_chances_left,
    table_figures,
    table_kinds,
    table_terms_stored,
)
from apps.one_deal.settled_bets import dealt_cards_sql, settled_bets_sql, table_cards_sql
from apps.rounds.game_spec import (
    DealingText,
    GameDocuments,
    GamePage,
    GameSpec,
    LobbyTile,
    MenuEntry,
    MenuGroup,
    TablePay,
    Verification,
)


def one_deal_spec(
    game: OneDealGame,
    *,
    title: str,
    tile: LobbyTile,
    dealing: DealingText,
    explanation: type[OneDealExplanation],
    bets: BetExamples,
    redealt: Mapping[str, object],
    listed_round: Mapping[str, object],
    words: Mapping[str, str | Promise],
) -> GameSpec:
    """Return the game's spec. `redealt` is the verification answer for the example's seeds, from `cards` on."""
    return GameSpec(
        id=game.id,
        slug=game.name,
        title=title,
        tile=tile,
        page=GamePage(
            template=f"{game.name}/table.html",
            table=partial(table, game),
            words=words,
            rules_template=f"{game.name}/rules.html",
            texts=_texts(game),
        ),
        bet_labels={kind.wire_name: label for kind, label in game.bet_labels.items()},
        dealing=dealing,
        explanation=explanation,
        bulk_check=partial(rounds_doubted, game),
        verification=Verification(
            redeal=partial(redeal, game),
            rules_from_text=rules_from_text,
            rules_help='{"decks": 8}',
            examples=_verify_examples(game, title, redealt),
        ),
        offer=partial(offer, game),
        house_edges=partial(house_edges, game),
        paytables_add_missing=partial(paytables_add_missing, game),
        settled_bets_sql=settled_bets_sql(game),
        dealt_cards_sql=dealt_cards_sql(game),
        face_chances=game.face_chances,
        table_pay=TablePay(
            terms=partial(table_terms_stored, game),
            figures=partial(table_figures, game),
            kinds=table_kinds(game),
            is_shared_deal=True,
            dealt_cards_sql=table_cards_sql(game),
            chances_left=partial(table_chances_left, game),
        ),
        result_labels={result.wire_name: label for result, (label, _) in game.result_labels.items()},
        menu=_menu(game),
        waiting=partial(waiting, game),
        unplayable=partial(unplayable, game),
        demo_offer=partial(demo_offer, game),
        documents=GameDocuments(
            bets=[kind.wire_name for kind in game.bets],
            actions=("Bet",),
            openapi_add=bet_documents(game, bets),
            listed_round_example=listed_round,
        ),
        schedule={},
        endpoints={game.bet_path: BetEndpoint(game)},
    )


def _texts(game: OneDealGame) -> Sequence[str]:
    sides = [name for side in game.sides for name in (side, side.title())]
    return (*game.bet_help.values(), *sides, *(label for label, _ in game.result_labels.values()))


def _menu(game: OneDealGame) -> Sequence[MenuEntry]:
    return (
        MenuEntry(MenuGroup.PLAY, game.record_model._meta.label, "playing_cards"),
        MenuEntry(MenuGroup.OFFER, game.config_model._meta.label, "tune"),
        MenuEntry(MenuGroup.OFFER, game.odds_model._meta.label, "percent"),
    )


def _verify_examples(game: OneDealGame, title: str, redealt: Mapping[str, Any]) -> Sequence[OpenApiExample]:
    answer = {
        "gameId": game.id,
        "serverSeedHashed": EXAMPLE_COMMITMENT,
        "clientSeed": EXAMPLE_SEEDS["clientSeed"],
        "nonce": EXAMPLE_SEEDS["nonce"],
        "rules": {"decks": 8},
        **redealt,
    }
    return (
        OpenApiExample(title, EXAMPLE_SEEDS, request_only=True),
        OpenApiExample(f"{title}, dealt again", answer, response_only=True, status_codes=["200"]),
    )
