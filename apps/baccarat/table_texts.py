"""The prose of the specification of baccarat tables (docs/baccarat.md). Pure."""

from typing import Final

from apps.rounds.table_game import TableTexts

TEXTS: Final = TableTexts(
    overview="""
Two hands are dealt, the player's and the banker's, one deal for the whole table. All who sit there bet on which of
them comes closer to 9, or that they tie, and on side bets. Nobody decides anything after the betting.
""",
    rules="""
- An ace counts 1, two to nine their number, tens and face cards 0. A score is the sum modulo 10.
- The cards go to player, banker, player, banker; then come the third cards, the player's first.
- 8 or 9 on two cards, on either side, is a natural: nobody draws.
- The player draws on 0 to 5 and stands on 6 and 7.
- If the player stood, the banker draws by the same rule. If the player drew, the player's third card decides: the
  banker draws on 0 to 2 always, on 3 unless that card is an 8, on 4 against 2 to 7, on 5 against 4 to 7, on 6 against
  6 and 7, and stands on 7.
- `player` and `banker` return the stake on a tie. `player_pair`, `banker_pair` and `either_pair` win on two first
  cards of one rank, `perfect_pair` where they are of one suit too. `dragon_7`: the banker wins with three cards and
  7. `panda_8`: the player wins with three cards and 8. `super_6`: the banker wins with 6. The last three lose on a
  tie.
- Bets of one type add up, and the limits bind their sum.
- What a payout has below the smallest unit of the currency stays with the house.
""",
    strategy="""
- `banker` costs the least, `player` a little more. `tie` and the side bets cost many times as much.
- Earlier rounds say next to nothing about the next one: the road maps are a record and no forecast.
""",
    variants="""
`rules.decks` is 1 to 8, or null for infinite. A table offers the bets that have limits; `availableActions` lists them
with their odds. The shoe is used down to its cut card: 14 cards, or half of it where a bet is on offer that counting
helps.
""",
)
