"""Partners and their API keys: created and revoked here; the text of a key is shown once."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from apps.core.admin import OfficeAdmin, ReasonForm, sent, viewer_of
from apps.core.filters import RelatedFilter
from apps.core.models import Currency
from apps.core.tables import time_html
from apps.core.viewers import in_scope
from apps.partners.models import ApiKey, Partner, Scope
from apps.partners.services import (
    api_key_create,
    api_key_revoke,
    partner_active_set,
    partner_create,
    partner_currency_set,
    partner_frame_origins_set,
)


@admin.register(Partner)
class PartnerAdmin(OfficeAdmin):
    partner_path = "id"
    list_display = ["name", "slug", "is_house", "active", "created"]
    search_fields = ["name", "slug"]
    fields = ["name", "slug", "is_house", "active", "default_currency", "origins", "created"]
    actions_detail = ["choose_currency", "choose_origins", "close", "open_again"]

    def hidden_actions(self, row: Partner) -> Collection[str]:
        return ["open_again" if row.active else "close"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_operate_permission(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create a partner."""
        self.add_permission_require(request)

        def call(data: dict[str, Any]) -> HttpResponse:
            partner = partner_create(**data, is_house=False, actor=request.user.get_username())
            return HttpResponseRedirect(self.page_url(partner))

        return self.action_form_view(request, title="New partner", form=PartnerForm(sent(request)), call=call, done="")

    @action(description="Default currency", icon="payments", permissions=["configure"])
    def choose_currency(self, request: HttpRequest, object_id: str) -> HttpResponse:
        partner: Partner = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=partner,
            title=f"Default currency of {partner}",
            form=DefaultCurrencyForm(sent(request), initial={"currency": partner.default_currency_id}),
            call=lambda data: partner_currency_set(
                partner=partner, actor=request.user.get_username(), actor_user_id=request.user.pk, **data
            ),
            done="The default currency is saved. It holds from the next configuration on.",
            note="A configuration without a currency is in this one.",
        )

    @display(description="frame origins")
    def origins(self, partner: Partner) -> str:
        return ", ".join(partner.frame_origins) or "none: no page may show the tables in a frame"

    @action(description="Frame origins", icon="web_asset", permissions=["configure"])
    def choose_origins(self, request: HttpRequest, object_id: str) -> HttpResponse:
        partner: Partner = self.object_or_404(request, object_id)
        initial = {"frame_origins": "\n".join(partner.frame_origins)}
        return self.action_form_view(
            request,
            obj=partner,
            title=f"Frame origins of {partner}",
            form=FrameOriginsForm(sent(request), initial=initial),
            call=lambda data: partner_frame_origins_set(
                partner=partner,
                frame_origins=data["frame_origins"].split(),
                actor=request.user.get_username(),
                actor_user_id=request.user.pk,
            ),
            done="The frame origins are saved. They hold from the next page on.",
            note="Only pages of these origins may show the tables in a frame.",
        )

    @action(description="Close the partner", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def close(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._active_page(request, object_id, active=False)

    @action(description="Open the partner again", icon="check", permissions=["operate"])
    def open_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._active_page(request, object_id, active=True)

    def _active_page(self, request: HttpRequest, object_id: str, *, active: bool) -> HttpResponse:
        partner: Partner = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=partner,
            title=f"{'Open' if active else 'Close'} {partner}",
            form=ReasonForm(sent(request)),
            call=lambda data: partner_active_set(
                partner=partner, active=active, actor=request.user.get_username(), **data
            ),
            done=f"{partner} is {'open' if active else 'closed'}.",
            note="While a partner is closed, its keys, sessions, players and staff are refused.",
            extra={"danger": not active, "submit": f"{'Open' if active else 'Close'} the partner"},
        )


class PartnerForm(forms.Form):
    """The form of a new partner."""

    name = forms.CharField(max_length=100, widget=UnfoldAdminTextInputWidget)
    slug = forms.CharField(
        max_length=40,
        widget=UnfoldAdminTextInputWidget,
        help_text="For addresses and reports: letters, digits, - and _",
    )


class DefaultCurrencyForm(forms.Form):
    """The form of a partner's default currency."""

    currency = forms.ModelChoiceField(Currency.objects.all(), empty_label=None, widget=UnfoldAdminSelectWidget)


class FrameOriginsForm(forms.Form):
    """The form of a partner's frame origins."""

    frame_origins = forms.CharField(
        required=False,
        max_length=8000,
        widget=UnfoldAdminTextareaWidget,
        help_text="One a line, such as https://casino.example: https, without wildcard and path.",
    )


class ApiKeyForm(forms.Form):
    """The form of a new key."""

    partner = forms.ModelChoiceField(Partner.objects.none(), widget=UnfoldAdminSelectWidget)
    name = forms.CharField(
        max_length=60, widget=UnfoldAdminTextInputWidget, help_text="The system that uses it, for your own information."
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, widget=UnfoldAdminCheckboxSelectMultipleWidget, help_text="What the key may be used for."
    )

    def __init__(self, *args: Any, partners: "QuerySet[Partner]", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["partner"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = partners
        field.initial = partners.first()
        field.empty_label = None


@admin.register(ApiKey)
class ApiKeyAdmin(OfficeAdmin):
    """Keys by their prefix. No list or page shows the text or its hash."""

    partner_path = "partner_id"
    list_display = ["prefix", "name", "partner", "scope_names", "state", "created", "last_used", "revoked"]
    list_select_related = ["partner"]
    list_filter = [("partner", RelatedFilter)]
    search_fields = ["prefix", "name"]
    fields = ["prefix", "name", "partner", "scope_names", "state", "created", "last_used", "revoked"]
    actions_detail = ["revoke"]

    def hidden_actions(self, row: ApiKey) -> Collection[str]:
        return ["revoke"] if row.revoked_at else []

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    @display(description="scopes")
    def scope_names(self, key: ApiKey) -> str:
        return ", ".join(key.scopes)

    @display(description="state", label={"in use": "success", "revoked": "danger"})
    def state(self, key: ApiKey) -> str:
        return "revoked" if key.revoked_at else "in use"

    @display(description="last used (UTC)")
    def last_used(self, key: ApiKey) -> SafeString:
        return time_html(key.last_used_at)

    @display(description="revoked (UTC)")
    def revoked(self, key: ApiKey) -> SafeString:
        return time_html(key.revoked_at)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Create a key and show its text once, in this answer."""
        self.add_permission_require(request)
        partners = in_scope(Partner.objects.all(), viewer=viewer_of(request), partner_path="id")

        def call(data: dict[str, Any]) -> HttpResponse:
            key, text = api_key_create(**data, actor=request.user.get_username())
            return self._key_page(request, key, text)

        form = ApiKeyForm(sent(request), partners=partners)
        return self.action_form_view(request, title="New API key", form=form, call=call, done="")

    @action(description="Revoke", icon="key_off", variant=ActionVariant.DANGER, permissions=["configure"])
    def revoke(self, request: HttpRequest, object_id: str) -> HttpResponse:
        key: ApiKey = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=key,
            title=f"Revoke {key.prefix}",
            form=forms.Form(sent(request)),
            call=lambda _: api_key_revoke(key=key, actor=request.user.get_username()),
            done="The key is revoked: its next request is refused.",
            note="Requests with this key are refused from now on. A revoked key cannot be restored.",
            extra={"submit": "Revoke", "danger": True},
        )

    def _key_page(self, request: HttpRequest, key: ApiKey, text: str) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Your new API key",
            "key": key,
            "text": text,
            "back": self.page_url(key),
        }
        return TemplateResponse(request, "office/api_key.html", context)
