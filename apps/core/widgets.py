"""Fields of the back office's forms that Django and unfold have not."""

from typing import Any

from unfold.widgets import UnfoldAdminTextInputWidget


class AmountInput(UnfoldAdminTextInputWidget):
    """A text field for a number: the browser's number field would round and hide."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"inputmode": "decimal", "autocomplete": "off", **(attrs or {})})
