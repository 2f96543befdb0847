"""Form fields of the back office that Django and unfold do not have."""

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.renderers import BaseRenderer
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.core.money import parse_plain


class AmountInput(UnfoldAdminTextInputWidget):
    """A text field for a number, since the browser's number field would round it."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"inputmode": "decimal", "autocomplete": "off", **(attrs or {})})


class PlainDecimalField(forms.DecimalField):
    """A number in plain notation, `1000.5`. Django's field would accept `1e5` too, which is easily a typing error.

    A comma may be meant as a point or between thousands, so it is refused, and the message says how to write it.
    """

    default_error_messages = {"invalid": "Write a number as 1000.5: digits and a point, without commas and spaces."}

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and value.strip():
            try:
                return parse_plain(value.strip())
            except ValueError:
                raise ValidationError(self.error_messages["invalid"], code="invalid") from None
        return super().to_python(value)


class SuggestInput(UnfoldAdminTextInputWidget):
    """A text field that offers names while somebody types. Other texts are accepted too."""

    names: Callable[[], Iterable[tuple[str, str]]]

    def __init__(self, names: Callable[[], Iterable[tuple[str, str]]]) -> None:
        """`names` returns what may be chosen, each with what it is."""
        super().__init__({"autocomplete": "off"})
        self.names = names

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: BaseRenderer | None = None
    ) -> SafeString:
        listed = f"{name}-names"
        options = format_html_join("", '<option value="{}">{}</option>', self.names())
        field = super().render(name, value, {**(attrs or {}), "list": listed}, renderer)
        return format_html('{}<datalist id="{}">{}</datalist>', field, listed, options)


class DayInput(UnfoldAdminTextInputWidget):
    """The browser's own date field."""

    input_type = "date"


class MinuteInput(UnfoldAdminTextInputWidget):
    """The browser's own field of a day and a time of day."""

    input_type = "datetime-local"
