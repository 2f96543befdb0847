"""Malformed requests: broken heads, bodies of a wrong length, invalid addresses."""

import gzip
from typing import Final

HEAD: Final = b" HTTP/1.1\r\nHost: @HOST@\r\nConnection: close\r\nX-Forwarded-For: 198.51.99.9\r\n"
JSON_HEAD: Final = HEAD + b"Content-Type: application/json\r\n"
FORM_HEAD: Final = HEAD + b"Content-Type: application/x-www-form-urlencoded\r\n"
CHUNKED: Final = b"Transfer-Encoding: chunked\r\n\r\n"


def _post(body: bytes, length: int | None = None, *, path: bytes = b"/v1/players", head: bytes = JSON_HEAD) -> bytes:
    size = len(body) if length is None else length
    return b"POST " + path + head + b"Content-Length: %d\r\n\r\n" % size + body


def _get(path: bytes, more: bytes = b"") -> bytes:
    return b"GET " + path + HEAD + more + b"\r\n"


RAW: Final[dict[str, bytes]] = {
    "nothing": b"",
    "one byte": b"\x00",
    "noise": bytes(range(256)) * 4,
    "a TLS hello": bytes.fromhex("16030100a5010000a10303") + bytes(150),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/0.9": b"GET /healthz\r\n",
    "HTTP/9": b"GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n",
    "lower case": b"get /healthz" + HEAD + b"\r\n",
    "a long method": b"A" * 5000 + b" /" + HEAD + b"\r\n",
    "CONNECT": b"CONNECT example.org:443" + HEAD + b"\r\n",
    "another's address": b"GET http://example.org/admin/" + HEAD + b"\r\n",
    "an asterisk": b"OPTIONS *" + HEAD + b"\r\n",
    "no host": b"GET /accounts/login/ HTTP/1.1\r\nConnection: close\r\n\r\n",
    "another host": b"GET /accounts/login/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "an impossible host": b"GET /v1/rounds HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
    "two hosts": b"GET /admin/ HTTP/1.1\r\nHost: @HOST@\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "a head without colon": b"GET /" + HEAD + b"nonsense\r\n\r\n",
    "a head with a null": b"GET /" + HEAD + b"X: a\x00b\r\n\r\n",
    "a folded head": b"GET /" + HEAD + b"X: a\r\n b\r\n\r\n",
    "a long head": _get(b"/", b"X: " + b"a" * 200_000 + b"\r\n"),
    "many heads": _get(b"/", b"".join(b"X-%d: a\r\n" % number for number in range(2000))),
    "a long cookie": _get(b"/play/now", b"Cookie: sessionid=" + b"a" * 20_000 + b"\r\n"),
    "an odd cookie": _get(b"/play/now", b'Cookie: sessionid="\\000\xff"; =; csrftoken=\x01\r\n'),
    "an odd address behind a proxy": _get(b"/launch/", b"X-Forwarded-For: \xff\xfe, ::1%x, [::1]:9999999\r\n"),
    "an odd bearer": _get(b"/v1/rounds", b"Authorization: Bearer \xff\xfe\r\n"),
    "two bearers": _get(b"/v1/rounds", b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"),
    "a long path": _get(b"/v1/" + b"a" * 100_000),
    "a path that is not UTF-8": _get(b"/v1/\xff\xfe"),
    "an invalid percent encoding": _get(b"/v1/%zz%"),
    "a null in the path": _get(b"/v1/wallets/a%00b"),
    "an overlong dot": _get(b"/static/%c0%ae%c0%ae/manage.py"),
    "a file in a parent folder": _get(b"/static/../manage.py"),
    "a file in a parent folder, encoded": _get(b"/static/%2e%2e/%2e%2e/etc/passwd"),
    "a file in a parent folder, encoded twice": _get(b"/static/%252e%252e/manage.py"),
    "a file by its whole path": _get(b"/static//etc/passwd"),
    "two slashes": _get(b"//evil.example/%2f.."),
    "a redirect to another host": _get(b"/accounts/login/?next=//evil.example/"),
    "a query that is not UTF-8": _get(b"/v1/rounds?player=%ff%fe"),
    "a semicolon": _get(b"/v1/rounds?a=1;b=2&&&=&="),
    "a broken length": b"POST /v1/players" + JSON_HEAD + b"Content-Length: x\r\n\r\n{}",
    "a length below zero": _post(b"{}", -5),
    "a length beyond numbers": _post(b"{}", 10**30),
    "a longer length than body": _post(b"{}", 500),
    "a shorter length than body": _post(b'{"reference": "x"}GET /admin/ HTTP/1.1\r\n\r\n', 4),
    "two lengths": b"POST /v1/players" + JSON_HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "length and chunks": b"POST /healthz" + JSON_HEAD
    + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /admin/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "a chunk of another length": b"POST /v1/players" + JSON_HEAD + CHUNKED + b"5\r\n{}\r\n0\r\n\r\n",
    "a chunk beyond numbers": b"POST /v1/players" + JSON_HEAD + CHUNKED + b"ffffffffffffffffff\r\n",
    "another transfer encoding": b"POST /v1/players" + JSON_HEAD + b"Transfer-Encoding: gzip\r\n\r\n{}",
    "a body in gzip": _post(gzip.compress(b"{}"), head=JSON_HEAD + b"Content-Encoding: gzip\r\n"),
    "a body beyond the limit": _post(b" " * 1_100_000),
    "a form of many fields": _post(
        b"&".join(b"f%d=" % number for number in range(5000)), path=b"/accounts/login/", head=FORM_HEAD
    ),
    "a form that is not UTF-8": _post(b"login=%ff&\xfe=\xff", path=b"/accounts/login/", head=FORM_HEAD),
    "a broken multipart": _post(
        b"--x\r\nContent-Disposition: form-data; name=\xff", path=b"/accounts/login/",
        head=HEAD + b"Content-Type: multipart/form-data; boundary=x\r\n",
    ),
    "a multipart without a boundary": _post(
        b"--x", path=b"/accounts/login/", head=HEAD + b"Content-Type: multipart/form-data\r\n"
    ),
    "an odd charset": _post(b"{}", head=HEAD + b"Content-Type: application/json; charset=\xff\r\n"),
    "an Expect header": b"POST /v1/players" + JSON_HEAD + b"Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}",
    "a handshake at another path": _get(
        b"/v1/rounds", b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n"
    ),
    "a handshake of another version": _get(
        b"/v1/ws", b"Upgrade: websocket\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: eA==\r\n"
    ),
    "an upgrade to HTTP/2": _get(b"/healthz", b"Upgrade: h2c\r\nHTTP2-Settings: AA\r\n"),
}  # fmt: skip
