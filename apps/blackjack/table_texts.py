"""The prose of the specification of blackjack tables (docs/blackjack-rules.md). Pure."""

from typing import Final

from apps.rounds.table_game import TableTexts

TEXTS: Final = TableTexts(
    overview="""
Each seat plays its own hand against the dealer. The hand that comes closer to 21 without going over it wins. All
seats draw from one shoe, which lasts over many rounds.

A seat wins by a better hand, or when the dealer goes over 21 and the seat does not. A natural, an ace and a ten-value
card as the first two cards, is the best hand of all.
""",
    rules="""
- An ace counts 1 or 11, jack, queen and king count 10, other cards their number. A hand counts an ace as 11 unless
  that makes more than 21.
- Each seat gets a card in seat order, then the dealer one face up, then each seat a second one, then the dealer one
  face down (none where `dealerPeek` is off).
- Against an ace all seats are asked at once whether they take insurance; where the rules have early surrender, it is
  asked with it. `stand` declines. Then the dealer looks at the card that lies face down; a dealer's natural ends the
  round for all.
- The seats play in seat order, split hands from the highest index down. In speed mode all seats are asked at once,
  and their answers are carried out in seat order.
- A hand over 21 loses at once. A hand of 21 stands by itself.
- When all hands are played, the dealer shows the card and draws up to 17; `dealerHitsSoft17` says whether an ace and
  a six draw on.
- A win pays 1 to 1, a natural 3 to 2 or 6 to 5 (`blackjackPays`), insurance 2 to 1. A push returns the stake, a
  surrender half of it. What is below the smallest unit of the currency stays with the house.
- Perfect Pairs and 21+3 (`poker`) are side bets on the first two cards and the dealer's face-up card. They need a
  main stake.
""",
    strategy="""
- Take no insurance: it costs more than it returns.
- Stand on 17 and more. Against a dealer's 2 to 6 stand on 12 and more; against a 7 or better draw up to 17.
- Double 11, and 10 unless the dealer shows a ten or an ace. Split aces and eights, and never tens or fives.
- Surrender 16 against a nine, a ten or an ace where that is offered.
""",
    variants="""
The room's `rules` hold every option by these names: `decks` (1 to 8, null for infinite), `dealerHitsSoft17`,
`dealerPeek`, `simple` (hit and stand alone, no side bets), `double` (`any`, `9-11`, `10-11`; but for `any` never a soft
hand), `doubleAfterSplit`, `surrender` (`off`, `late`, `early-not-ace`, `early`), `surrenderAfterHit`,
`surrenderAfterSplit`, `splitNonAce` and `splitAce` (0 to 3 splits of a seat in a round), `hitSplitAce`, `insurance`
(`off`, `exact-half`, `up-to-half`), `blackjackPays` (`3:2`, `6:5`), `speed` (all seats act at once), and at points
tables `inverted` (every change of the score is negated).

At a points table stakes are even whole numbers, multiples of 10 where naturals pay 6 to 5, up to the larger of the
score + 200 and 100; they are hidden until the betting ends, and there are no side bets.
""",
)
