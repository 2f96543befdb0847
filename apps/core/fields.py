"""Serializer fields that take JSON at its word: a text is a text, a number is exact."""

from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.core.json import type_name
from apps.core.money import MAX_AMOUNT, is_bounded, parse_plain, plain

AMOUNT_PATTERN = r"^-?\d{1,12}(\.\d{1,8})?$"


class TextField(serializers.CharField):
    """A JSON string as it came, spaces included; DRF would take a number for one. No NUL, no lone surrogate."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError(f"a string is expected, not {type_name(data)}")
        return str(super().to_internal_value(data))


@extend_schema_field({"type": "string", "pattern": AMOUNT_PATTERN, "examples": ["52.5"]})
class AmountField(serializers.Field[Decimal, Any, str, Any]):
    """An amount in units of its currency: read from a number or a text, written as a plain text, `"52.5"`.

    How many decimals it may have is its currency's matter, and checked by the service; so is its size, with
    `any_size`, where a refused amount has a code of its own.
    """

    def __init__(self, *, any_size: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.any_size = any_size

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
