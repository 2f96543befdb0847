"""What daphne's protocols do that no client can bring about at will."""

import pytest

from casino.serve.embedded import LimitedSocket


@pytest.mark.parametrize("state", [LimitedSocket.STATE_CLOSED, LimitedSocket.STATE_CLOSING])
@pytest.mark.parametrize("kind", ["websocket.send", "websocket.close"])
def test_an_answer_that_comes_after_the_end_is_dropped_in_peace(state: int, kind: str) -> None:
    ended = LimitedSocket()
    ended.state = state
    ended.handle_reply({"type": kind, "text": "too late"})
