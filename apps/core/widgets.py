"""Form fields of the back office that Django and unfold do not have."""

from typing import Any

from unfold.widgets import UnfoldAdminTextInputWidget


class AmountInput(UnfoldAdminTextInputWidget):
    """A text field for a number, since the browser's number field would round it."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"inputmode": "decimal", "autocomplete": "off", **(attrs or {})})
