"""Statistics of a player's rounds."""

from dataclasses import dataclass

from apps.blackjack.engine.settle import seat_account
from apps.blackjack.engine.state import HandStatus, SeatState
from apps.blackjack.terminal.scene import chips_text


@dataclass(slots=True)
class Statistics:
    """Counts of one player's settled rounds; amounts in units."""

    rounds: int = 0
    hands: int = 0
    won: int = 0
    pushed: int = 0
    lost: int = 0
    blackjacks: int = 0
    busts: int = 0
    staked: int = 0
    paid: int = 0

    def add(self, seat: SeatState) -> None:
        """Count a settled round."""
        account = seat_account(seat)
        self.rounds += 1
        self.staked += account.staked
        self.paid += account.paid
        for hand in seat.hands:
            self.hands += 1
            match hand.status:
                case HandStatus.WIN:
                    self.won += 1
                case HandStatus.BLACKJACK:
                    self.won += 1
                    self.blackjacks += 1
                case HandStatus.PUSH:
                    self.pushed += 1
                case HandStatus.BUST:
                    self.lost += 1
                    self.busts += 1
                case HandStatus.LOSE | HandStatus.SURRENDER:
                    self.lost += 1
                case HandStatus.OPEN | HandStatus.NATURAL | HandStatus.STOOD:
                    raise ValueError("the round is not settled")

    def lines(self) -> list[str]:
        """Return the statistics as text."""
        if not self.rounds:
            return ["no round finished"]
        ends = f"won {self.won}, pushed {self.pushed}, lost {self.lost}"
        money = f"bet {chips_text(self.staked)}, back {chips_text(self.paid)}"
        return [
            f"rounds {self.rounds}, hands {self.hands}: {ends}",
            f"blackjacks {self.blackjacks}, busts {self.busts}, {money}",
        ]
