"""A client of the partner API."""

from typing import Any

from django.test import Client

from apps.core import json
from apps.partners.models import Partner, Scope
from apps.partners.services import api_key_create


class PartnerClient:
    """A client with one API key; amounts in answers stay exact."""

    def __init__(self, partner: Partner, scopes: list[str] | None = None) -> None:
        self.partner = partner
        self.key, self.text = api_key_create(
            partner=partner, name="test", scopes=scopes or list(Scope.values), actor="test"
        )
        self._client = Client(raise_request_exception=False)

    def get(self, path: str, **query: str) -> "Answer":
        return Answer(self._client.get(path, query, headers=self._headers()))

    def post(self, path: str, body: object, **headers: str) -> "Answer":
        """Send `body` as JSON; bytes go as they are. A header is given as a keyword such as `idempotency_key`."""
        data = body if isinstance(body, bytes) else json.encode(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = self._client.post(path, data, content_type="application/json", headers=self._headers() | named)
        return Answer(response)

    def put(self, path: str, body: object) -> "Answer":
        data = json.encode(body)
        return Answer(self._client.put(path, data, content_type="application/json", headers=self._headers()))

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.text}"}


class Answer:
    """A response, with its body read as exact JSON."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status_code
        self.headers = response.headers
        self.bytes: bytes = response.content
        self.body: Any = json.decode(response.content) if response.content else None
