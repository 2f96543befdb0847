"""Rows for the tests of the back office: configurations, and rounds with the rows that a bet writes."""

from decimal import Decimal
from fractions import Fraction
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Player
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.baccarat.engine import STANDARD_ODDS, Deal, GameType, bet_settle, deal
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord, BaccaratOddsConfig
from apps.one_deal.engine import ResultType
from apps.one_deal.models import ConfigStatus
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundEnd
from apps.tables.chain_seeds import chain_seeds
from apps.tables.engine.codec import terms_to_json
from apps.tables.models import GameTable, RoundEnding, TableRound
from apps.tables.selectors import terms_of
from apps.tables.table_creation import RoomOptions, partner_table_create
from apps.wallet.models import Kind, Wallet
from apps.wallet.services import wallet_move
from tests.support.nonces import nonce_take

MAIN_BETS = (GameType.PLAYER, GameType.BANKER, GameType.TIE)


def config_make(partner: Partner, *, currency: str = "FUN", decks: int = 8) -> BaccaratConfig:
    """Return new limits, 1 to 100, with the standard odds for the three main bets."""
    config = BaccaratConfig.objects.create(
        partner=partner, currency_id=currency, decks=decks, bet_min=Decimal(1), bet_max=Decimal(100)
    )
    for game_type in MAIN_BETS:
        odds = STANDARD_ODDS[game_type]
        BaccaratOddsConfig.objects.create(
            baccarat_config=config, game_type=game_type, odds=Decimal(odds.numerator) / odds.denominator
        )
    return config


def odds_pend(config: BaccaratConfig, game_type: GameType, odds: Decimal) -> BaccaratOddsConfig:
    """Return odds that are pending."""
    return BaccaratOddsConfig.objects.create(
        baccarat_config=config,
        game_type=game_type,
        odds=odds,
        status=ConfigStatus.PENDING,
        reason="the bet would favour the player",
    )


@transaction.atomic
def round_make(
    player: Player,
    config: BaccaratConfig,
    *,
    game_type: GameType = GameType.PLAYER,
    stake: Decimal = Decimal(10),
) -> BaccaratGameRecord:
    """Return the record of one bet, with its round and its movements, dealt from the player's seed pair."""
    wallet = Wallet.objects.select_related("currency").get(player=player, currency=config.currency_id)
    draw = nonce_take(player_id=player.pk)
    outcome = deal(draw.shoe(config.decks))
    odds = STANDARD_ODDS[game_type]
    result = bet_settle(outcome, game_type, stake, odds, quantum=wallet.currency.quantum)
    round_id = uuid4()
    wallet_move(wallet_id=wallet.pk, kind=Kind.BET, change=-stake, source_key=f"{round_id}:1:bet", round_id=round_id)
    after = wallet.balance - stake + result.payout
    if result.payout:
        wallet_move(
            wallet_id=wallet.pk,
            kind=Kind.REWARD,
            change=result.payout,
            source_key=f"{round_id}:1:reward",
            round_id=round_id,
        )
    row = Round.objects.create(
        id=round_id,
        partner_id=player.partner_id,
        player=player,
        currency_id=config.currency_id,
        game=BACCARAT,
        ended_at=timezone.now(),
        how_ended=RoundEnd.PLAYED,
        seed_pair_id=draw.seed_pair_id,
        nonce=draw.nonce,
        config_version=config.version,
        terms={"decks": config.decks, "odds": {game_type.wire_name: str(odds)}},
        detail=_detail(outcome),
        stake=stake,
        payout=result.payout,
        balance_before=wallet.balance,
        balance_after=after,
    )
    return _record(row, config, game_type, odds, result.result_type, outcome)


def table_with_round(partner: Partner) -> tuple[GameTable, TableRound]:
    """Return a baccarat table and a round of it without a stake."""
    table = partner_table_create(
        partner=partner, actor="test", options=RoomOptions(game_type="baccarat", currency_code="FUN", name="Salon")
    )
    chain = table.chains.get()
    played = TableRound.objects.create(
        table=table,
        number=1,
        chain=chain,
        seed_hash=chain.commitment,
        seed=chain_seeds.seed(str(chain.pk), 1),
        nonce=1,
        shoe=[8] * 52,
        config_version=1,
        terms=terms_to_json(terms_of(table)),
        ended_at=timezone.now(),
        ending=RoundEnding.UNSTAKED,
    )
    table.state = {**table.state, "round_number": 1}
    table.save(update_fields=["state"])
    return table, played


def _detail(outcome: Deal) -> dict[str, object]:
    return {
        "player": [card.code for card in outcome.player],
        "banker": [card.code for card in outcome.banker],
        "player_score": outcome.player_score,
        "banker_score": outcome.banker_score,
        "winner": outcome.winner.value,
    }


def _record(
    row: Round, config: BaccaratConfig, game_type: GameType, odds: Fraction, result_type: ResultType, outcome: Deal
) -> BaccaratGameRecord:
    return BaccaratGameRecord.objects.create(
        player_id=row.player_id,
        partner_id=row.partner_id,
        currency_id=row.currency_id,
        round=row,
        game_type=game_type,
        bet_amount=row.stake,
        odds=Decimal(odds.numerator) / odds.denominator,
        result_type=result_type,
        reward_amount=row.payout,
        player_cards=row.detail["player"],
        banker_cards=row.detail["banker"],
        seed_pair_id=row.seed_pair_id,
        nonce=row.nonce,
        config=config,
        config_version=config.version,
    )
