"""The forms of the player's pages."""

from functools import partial

from allauth.account.forms import LoginForm, SignupForm
from django import forms
from django.conf import settings
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import Player, User
from apps.core.patterns import MAX_CLIENT_SEED_CHARS
from apps.fairness.engine import is_client_seed
from apps.portal.authentication import guest_end, page_player_of, sign_up_note
from apps.portal.languages import time_zone_names
from apps.portal.services import player_sign_up

MAX_USERNAME_CHARS = 32
USERNAME_VALIDATORS = [ASCIIUsernameValidator()]
"""The name is also the player's reference, which is ASCII without spaces."""


class LogInForm(LoginForm):
    """A log-in with the username or the email address."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Username or email")
        if "remember" in self.fields:
            self.fields["remember"].label = _("Remember me")


class SignUpForm(SignupForm):
    """Opens the player's account together with the log-in."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].max_length = MAX_USERNAME_CHARS
        self.fields["username"].widget.attrs["maxlength"] = MAX_USERNAME_CHARS
        self.fields["email"].help_text = _("Only needed to reset a forgotten password.")

    def clean_username(self) -> str:
        """Refuse the reference of an existing player of the house."""
        username: str = super().clean_username()
        if len(username) > MAX_USERNAME_CHARS:
            raise forms.ValidationError(_("At most %(count)s characters, please.") % {"count": MAX_USERNAME_CHARS})
        if Player.objects.filter(partner__is_house=True, reference=username).exists():
            raise forms.ValidationError(_("This username is already taken."))
        return username

    def save(self, request: HttpRequest) -> User:
        page_player = page_player_of(request)
        guest_id = page_player.player.pk if page_player is not None and page_player.player.is_guest else None
        user = player_sign_up(user_create=partial(super().save, request), guest_id=guest_id)
        guest_end(request)
        sign_up_note(request)
        return user


class ClientSeedForm(forms.Form):
    """A new client seed, which brings a new seed pair."""

    client_seed = forms.CharField(
        label=_("Your client seed"),
        max_length=MAX_CLIENT_SEED_CHARS,
        help_text=_("1 to 64 letters, digits or signs; no spaces and no |."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_client_seed(self) -> str:
        text: str = self.cleaned_data["client_seed"]
        if not is_client_seed(text):
            raise forms.ValidationError(_("Only letters, digits and signs of ASCII, without spaces and without |."))
        return text


class PreferencesForm(forms.Form):
    """The language and the time zone of an account."""

    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        required=False,
        choices=lambda: [("", _("The time zone of this device")), *((name, name) for name in time_zone_names())],
    )
