"""The form of a note."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldBooleanWidget

from apps.player_files.models import PlayerNote


class NoteForm(forms.Form):
    """A note; operators choose who may read it."""

    text = forms.CharField(
        max_length=PlayerNote.MAX_CHARS,
        widget=UnfoldAdminTextareaWidget,
        help_text="It is stored permanently with your name.",
    )
    is_internal = forms.BooleanField(
        label="Internal",
        required=False,
        widget=UnfoldBooleanWidget,
        help_text="Only viewers of all partners may read it.",
    )

    def __init__(self, *args: Any, may_be_internal: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_be_internal:
            del self.fields["is_internal"]
