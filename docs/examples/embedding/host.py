"""A casino's server with one page that shows a table of Punto in a frame. Standard library only.

    PUNTO=https://punto.example KEY=... python host.py --port 9000 --player anna-17 --currency EUR

The API key stays here: the page asks `POST /launch?game=<game_id>` for a launch URL. A real casino logs the player in
first; this one has a single player.
"""

import argparse
import json
import os
import urllib.request
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


class Casino(SimpleHTTPRequestHandler):
    """Serves this folder's page and opens sessions."""

    player = ""
    currency = ""
    cashier = ""

    def do_POST(self) -> None:
        """Open a session of the game for the player."""
        game = parse_qs(urlsplit(self.path).query).get("game", [""])[0]
        wish = {"player": self.player, "game_id": game, "currency": self.currency, "embed": True}
        if self.cashier:
            wish["cashier_url"] = self.cashier
        request = urllib.request.Request(  # noqa: S310 - the address is our own setting
            f"{os.environ['PUNTO']}/v1/sessions",
            json.dumps(wish).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['KEY']}"},
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            body = answer.read()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Serve until the process ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--player", required=True)
    parser.add_argument("--currency", default="EUR")
    parser.add_argument("--cashier", default="", help="The address for a player without money.")
    given = parser.parse_args()
    Casino.player, Casino.currency, Casino.cashier = given.player, given.currency, given.cashier
    os.chdir(Path(__file__).parent)
    ThreadingHTTPServer(("127.0.0.1", given.port), Casino).serve_forever()


if __name__ == "__main__":
    main()
