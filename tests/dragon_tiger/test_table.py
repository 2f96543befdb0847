"""Dragon tiger's live table: one file in its folder is enough for everything that tables do."""

from apps.dragon_tiger.table import TABLE
from tests.tables.engine.table_run import TableRun


def test_all_four_bets_are_on_offer_with_half_of_the_shoe_cut_off() -> None:
    terms = TABLE.terms_read(is_points=False, decimals=2, contribution_required=True)
    assert set(terms.limits) == {"dragon", "tiger", "tie", "suited_tie"}
    assert terms.cut_card == 208
    assert [(edge.bet, edge.edge) for edge in TABLE.house_edges(terms)] == [
        ("dragon", "3.73%"), ("tiger", "3.73%"), ("tie", "10.36%"), ("suited_tie", "13.98%"),
    ]  # fmt: skip


def test_rounds_show_both_cards_and_a_tie_gives_half_back() -> None:
    run = TableRun(TABLE, rules={"decks": 8}, cut_card=104)
    run.join("anna")
    winners = set()
    for _ in range(60):
        run.act("anna", "place_bet", betType="dragon", amount=10)
        run.act("anna", "ready")
        view, result = run.view(), run.result_of("anna")
        dragon, tiger = (view[side]["cards"][0]["rank"] for side in ("dragon", "tiger"))
        assert view["winner"] == ("dragon" if dragon > tiger else "tiger" if tiger > dragon else "tie")
        assert result["payout"] == {"dragon": 20, "tiger": 0, "tie": 5}[view["winner"]]
        winners.add(view["winner"])
        run.wait()
    assert winners == {"dragon", "tiger", "tie"}
