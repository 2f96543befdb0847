"""Strict serializer fields: a text must be a JSON string, and a number stays exact.

The OpenAPI document describes each field as strictly as it is checked.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from drf_spectacular.drainage import set_override
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.core import openapi, patterns
from apps.core.json import type_name
from apps.core.money import MAX_AMOUNT, is_bounded, parse_plain, plain


class TextField(serializers.CharField):
    """A JSON string, unchanged, including spaces; DRF would accept a number. NUL and lone surrogates are refused.

    `pattern` is for the document only; the service checks it with a refusal of its own.
    """

    def __init__(self, *, pattern: str | None = None, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)
        schema: openapi.Schema = {"type": "string"}
        if pattern is not None:
            schema["pattern"] = pattern
        else:
            schema["minLength"] = 0 if self.allow_blank else 1
        if self.max_length is not None:
            schema["maxLength"] = self.max_length
        set_override(self, "field", schema)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError(f"a string is expected, not {type_name(data)}")
        return str(super().to_internal_value(data))


class ChoiceField(serializers.ChoiceField):
    """One of a few texts, which the document lists."""

    def __init__(self, *, name: str, choices: Sequence[str], **kwargs: Any) -> None:
        words = list(choices)
        super().__init__(
            choices=words, error_messages={"invalid_choice": f"one of {', '.join(words)} is expected"}, **kwargs
        )
        set_override(self, "field", openapi.text_enum(name, words))

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError(f"a string is expected, not {type_name(data)}")
        return str(super().to_internal_value(data))


@extend_schema_field({"type": "string", "pattern": patterns.SEED})
class SeedField(serializers.CharField):
    """A server seed or its commitment in an answer: 64 hexadecimal characters."""


@extend_schema_field({"type": "object", "additionalProperties": True})
class ObjectField(serializers.Field[Any, Any, Any, Any]):
    """A JSON object in an answer, unchanged."""

    def to_representation(self, value: Any) -> Any:
        return value


class AmountSerializerField(serializers.Field[Decimal, Any, str, Any]):
    """An amount in units of its currency: read from a number or a text, written as a plain text, `"52.5"`.

    The service checks its decimals, which depend on the currency. With `any_size` the service also checks the size, so
    that a refusal has its own code.
    """

    schema = openapi.AMOUNT_TEXT

    def __init__(self, *, any_size: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.any_size = any_size
        set_override(self, "field", self.schema)

    def to_internal_value(self, data: Any) -> Decimal:
        if isinstance(data, bool) or not isinstance(data, int | Decimal | str):
            raise serializers.ValidationError(f"an amount is expected, not {type_name(data)}")
        try:
            amount = parse_plain(data) if isinstance(data, str) else Decimal(data)
        except ValueError:
            raise serializers.ValidationError("an amount is expected, such as 10 or 52.5") from None
        if not self.any_size and not is_bounded(amount):
            raise serializers.ValidationError(f"an amount up to {MAX_AMOUNT} is expected")
        return amount

    def to_representation(self, value: Decimal) -> str:
        return plain(value)


class AmountInField(AmountSerializerField):
    """An `AmountSerializerField` of requests only."""

    schema = {"anyOf": [openapi.AMOUNT_TEXT, openapi.DECIMAL_NUMBER]}


class NumberField(serializers.Field[Decimal, Any, Decimal, Any]):
    """An exact JSON number in requests and answers; a text is refused."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        set_override(self, "field", openapi.DECIMAL_NUMBER)

    def to_internal_value(self, data: Any) -> Decimal:
        if isinstance(data, bool) or not isinstance(data, int | Decimal):
            raise serializers.ValidationError(f"a number is expected, not {type_name(data)}")
        number = Decimal(data)
        if not is_bounded(number):
            raise serializers.ValidationError(f"a number up to {MAX_AMOUNT} is expected")
        return number

    def to_representation(self, value: Decimal) -> Decimal:
        return value


class WholeField(serializers.Field[int, Any, int, Any]):
    """A whole JSON number from `low` to `high`."""

    def __init__(self, *, low: int, high: int, schema: openapi.Schema | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.low, self.high = low, high
        set_override(self, "field", schema or {"type": "integer", "minimum": low, "maximum": high})

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int | Decimal):
            raise serializers.ValidationError(f"a number is expected, not {type_name(data)}")
        if not self.low <= data <= self.high or data != int(data):
            raise serializers.ValidationError(f"a whole number from {self.low} to {self.high} is expected")
        return int(data)

    def to_representation(self, value: int) -> int:
        return value


class WholeQueryField(WholeField):
    """The same in a query: ASCII digits alone."""

    def to_internal_value(self, data: Any) -> int:
        if not re.fullmatch("[0-9]{1,20}", data):
            raise serializers.ValidationError(f"a whole number from {self.low} to {self.high} is expected")
        return super().to_internal_value(int(data))


class TimeQueryField(serializers.DateTimeField):
    """A time in a query."""

    _expected = "a time is expected, such as 2026-03-01T12:00:00Z; the + of a zone is sent as %2B"

    def to_internal_value(self, value: Any) -> datetime:
        try:
            return super().to_internal_value(value)
        except serializers.ValidationError as error:
            raise serializers.ValidationError(self._expected) from error


class CurrencyField(TextField):
    """A currency's code."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(pattern=patterns.CURRENCY, **kwargs)
        set_override(self, "field", openapi.CURRENCY)


@extend_schema_field({"type": "boolean"})
class FlagField(serializers.Field[bool, Any, bool, Any]):
    """A JSON boolean; DRF's own field would accept texts and numbers."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError(f"true or false is expected, not {type_name(data)}")
        return data

    def to_representation(self, value: bool) -> bool:
        return value


class ReferenceField(TextField):
    """A partner's own name for a player."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(pattern=patterns.REFERENCE, max_length=64, **kwargs)


class ClientSeedField(TextField):
    """A client seed."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(pattern=patterns.CLIENT_SEED, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        client_seed = super().to_internal_value(data)
        if not re.fullmatch(patterns.CLIENT_SEED, client_seed):
            raise serializers.ValidationError(patterns.CLIENT_SEED_RULE)
        return client_seed


class RoundClientSeedField(TextField):
    """The client seed of a round: the player's or, at a table, the joined contributions of its seats, which may be
    empty."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(pattern=patterns.ROUND_CLIENT_SEED, **kwargs)
