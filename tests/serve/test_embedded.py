"""Cases in daphne's protocols that no client can cause reliably."""

import pytest

from casino.serve.embedded import LimitedSocket


@pytest.mark.parametrize("state", [LimitedSocket.STATE_CLOSED, LimitedSocket.STATE_CLOSING])
@pytest.mark.parametrize("kind", ["websocket.send", "websocket.close"])
def test_an_answer_after_the_end_of_the_connection_is_dropped_without_an_error(state: int, kind: str) -> None:
    ended = LimitedSocket()
    ended.state = state
    ended.handle_reply({"type": kind, "text": "too late"})
