"""Partners and their API keys: created and revoked here; the text of a key is shown once."""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from http.client import responses as http_responses
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from apps.core.admin import OfficeAdmin, ReasonForm, sent, viewer_of
from apps.core.bulk_admin import BulkAct, BulkAdmin
from apps.core.errors import error_codes
from apps.core.filters import DayRangeFilter, NamedFilter, RelatedFilter
from apps.core.form_acts import changed_message, version_sent
from apps.core.list_admin import listings_by_partner
from apps.core.office_html import headline, link_html, table_html, time_html
from apps.core.shown_values import shown_version
from apps.core.staff_scope import in_scope, sees_all_partners
from apps.core.widgets import DayInput
from apps.partners.allowed_addresses import address_shown
from apps.partners.forms import CurrencyField, PartnerField, partners_offer
from apps.partners.models import ApiKey, ApiKeyRequest, Partner, Scope
from apps.partners.request_log import KEPT
from apps.partners.services import (
    PREFIX_START,
    KeyLimits,
    api_key_create,
    api_key_restrict,
    api_key_revoke,
    key_limits_for_audit,
    partner_active_set,
    partner_create,
    partner_currency_set,
    partner_frame_origins_set,
)

REQUESTS_SHOWN: Final = 20
ANSWERS: Final = {"done": range(100, 400), "refused": range(400, 500), "failed": range(500, 600)}
MAX_VALIDITY: Final = timedelta(days=3660)


@admin.register(Partner)
class PartnerAdmin(OfficeAdmin):
    partner_path = "id"
    subject_name = staticmethod(str)
    list_display = ["name", "slug", "is_house", "active", "created"]
    search_fields = ["name", "slug"]
    search_help_text = "A part of a name"
    fields = ["name", "slug", "is_house", "active", "default_currency", "origins", "created", "timeline"]
    actions_detail = ["set_up", "choose_currency", "choose_origins", "close", "open_again"]

    def hidden_actions(self, row: Partner) -> Collection[str]:
        return ["open_again" if row.active else "close"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_operate_permission(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create a partner."""
        self.add_permission_require(request)

        def call(data: dict[str, Any]) -> HttpResponse:
            partner = partner_create(
                **data, is_house=False, actor=request.user.get_username(), actor_user_id=request.user.pk
            )
            return HttpResponseRedirect(self.page_url(partner))

        form = PartnerForm(sent(request))
        return self.action_form_view(request, title="New partner", form=form, call=call, done="The partner is open.")

    @action(description="Set-up", icon="checklist")
    def set_up(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Link to the steps until the partner's players can play."""
        partner: Partner = self.object_or_404(request, object_id)
        return HttpResponseRedirect(reverse("admin:partner_setup", args=[partner.pk]))

    @action(description="Default currency", icon="payments", permissions=["configure"])
    def choose_currency(self, request: HttpRequest, object_id: str) -> HttpResponse:
        partner: Partner = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=partner,
            title=f"Default currency of {partner}",
            form=DefaultCurrencyForm(sent(request), initial={"currency": partner.default_currency_id}),
            call=lambda data: changed_message(
                partner_currency_set(
                    partner=partner,
                    actor=request.user.get_username(),
                    actor_user_id=request.user.pk,
                    version=version_sent(request),
                    **data,
                )
            ),
            version=shown_version(partner.default_currency_id),
            done="The default currency is saved. It applies from the next configuration.",
            note="A configuration without a currency is in this one.",
        )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Add links to the partner's lists. For viewers of one partner these have no filter by partner."""
        return [*super().get_fields(request, obj), "lists" if sees_all_partners(viewer_of(request)) else "own_lists"]

    @display(description="timeline")
    def timeline(self, partner: Partner) -> SafeString:
        return format_html('<a href="{}">What happened</a>', reverse("admin:timeline", args=["partner", partner.pk]))

    @display(description="see also")
    def lists(self, partner: Partner) -> SafeString:
        return self._list_links(f"={partner.pk}")

    @display(description="see also")
    def own_lists(self, _: Partner) -> SafeString:
        return self._list_links("")

    def _list_links(self, value: str) -> SafeString:
        """Return links to the lists that have partners' rows, filtered if there is a value."""
        links = [
            format_html(
                '<a href="{}{}">{}</a>',
                reverse(f"admin:{listing.opts.app_label}_{listing.opts.model_name}_changelist"),
                f"?{parameter}{value}" if value else "",
                headline(listing.opts.verbose_name_plural),
            )
            for listing, parameter in listings_by_partner(self.admin_site)
        ]
        return format_html('<span class="links">{}</span>', SafeString(" ".join(links)))

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
            call=lambda data: changed_message(
                version_sent(request)
                != shown_version(
                    partner_frame_origins_set(
                        partner=partner,
                        frame_origins=data["frame_origins"].split(),
                        actor=request.user.get_username(),
                        actor_user_id=request.user.pk,
                        version=version_sent(request),
                    )
                )
            ),
            version=shown_version(partner.frame_origins),
            done="The frame origins are saved. They apply from the next page load.",
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
                partner=partner,
                active=active,
                actor=request.user.get_username(),
                actor_user_id=request.user.pk,
                **data,
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

    currency = CurrencyField()


class FrameOriginsForm(forms.Form):
    """The form of a partner's frame origins."""

    frame_origins = forms.CharField(
        required=False,
        max_length=8000,
        widget=UnfoldAdminTextareaWidget,
        help_text="One a line, such as https://casino.example: https, without wildcard and path.",
    )


class KeyLimitsForm(forms.Form):
    """The form of a key's expiry and of the addresses that it may be used from."""

    last_day = forms.DateField(
        label="Last day",
        required=False,
        widget=DayInput,
        help_text="The key is refused from the end of this day (UTC). Empty: it does not expire.",
    )
    allowed_addresses = forms.CharField(
        required=False,
        max_length=2000,
        widget=UnfoldAdminTextareaWidget,
        help_text="IP addresses or networks, one a line, such as 192.0.2.7 or 192.0.2.0/24. Empty: from everywhere.",
    )

    def clean_last_day(self) -> date | None:
        day: date | None = self.cleaned_data["last_day"]
        today = datetime.now(UTC).date()
        if day is not None and day < today:
            raise forms.ValidationError("This day is over. To end a key now, revoke it.")
        if day is not None and day > today + MAX_VALIDITY:
            raise forms.ValidationError("A key is valid for ten years at most, or does not expire.")
        return day


def key_limits_of(data: dict[str, Any]) -> KeyLimits:
    """Remove the fields of `KeyLimitsForm` from a form's data, and return the limits."""
    day, texts = data.pop("last_day"), data.pop("allowed_addresses")
    expires_at = None if day is None else datetime.combine(day + timedelta(days=1), time(), UTC)
    return KeyLimits(expires_at, texts.split())


class ApiKeyForm(KeyLimitsForm):
    """The form of a new key."""

    partner = PartnerField()
    name = forms.CharField(
        max_length=60, widget=UnfoldAdminTextInputWidget, help_text="The system that uses it, for your own information."
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, widget=UnfoldAdminCheckboxSelectMultipleWidget, help_text="What the key may be used for."
    )
    field_order = ["partner", "name", "scopes"]

    def __init__(self, *args: Any, partners: "QuerySet[Partner]", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        partners_offer(self, partners)


@admin.register(ApiKey)
class ApiKeyAdmin(BulkAdmin):
    """Keys by their prefix. No list or page shows the text or its hash."""

    partner_path = "partner_id"
    subject_name = staticmethod(str)
    list_display = ["prefix", "name", "partner", "scope_names", "state", "created", "expires", "last_used"]
    list_select_related = ["partner"]
    list_filter = [("partner", RelatedFilter)]
    search_fields = ["prefix", "name"]
    search_help_text = "A part of a key's prefix or name"
    fields = [
        "prefix", "name", "partner", "scope_names", "state", "created", "expires", "addresses", "last_used", "revoked",
        "requests",
    ]  # fmt: skip
    actions_detail = ["restrict", "revoke"]
    bulk_acts = {
        "revoke": BulkAct(
            "Revoke several",
            "Revoke the keys",
            ("key is revoked: its next request is refused.", "keys are revoked: their next request is refused."),
            "configure",
            lambda request, row, reason: api_key_revoke(
                key=row, reason=reason, actor=request.user.get_username(), actor_user_id=request.user.pk
            ),
        )
    }

    def bulk_label(self, row: ApiKey) -> str:
        return f"{row.prefix}, {row.name} ({row.partner})"

    def hidden_actions(self, row: ApiKey) -> Collection[str]:
        return ["restrict", "revoke"] if row.revoked_at else []

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    @display(description="scopes")
    def scope_names(self, key: ApiKey) -> str:
        return ", ".join(key.scopes)

    @display(description="state", label={"in use": "success", "revoked": "danger", "expired": "warning"})
    def state(self, key: ApiKey) -> str:
        if key.revoked_at:
            return "revoked"
        return "expired" if key.expires_at is not None and key.expires_at <= timezone.now() else "in use"

    @display(description="expires (UTC)")
    def expires(self, key: ApiKey) -> SafeString | str:
        return time_html(key.expires_at) if key.expires_at else "never"

    @display(description="may be used from")
    def addresses(self, key: ApiKey) -> str:
        return ", ".join(map(address_shown, key.allowed_addresses)) or "everywhere"

    @display(description="newest requests")
    def requests(self, key: ApiKey) -> SafeString:
        """Show the newest requests, and link the list of all that are kept."""
        rows = ApiKeyRequest.objects.filter(key=key).order_by("-pk")[:REQUESTS_SHOWN]
        lines = [
            (time_html(row.time), row.status, refusal_text(row), row.method, row.path, row.address) for row in rows
        ]
        link = format_html(
            '<p><a href="{}?key__id__exact={}">All of the last {} requests</a></p>',
            reverse("admin:partners_apikeyrequest_changelist"),
            key.pk,
            f"{KEPT:,}",
        )
        return table_html(("time (UTC)", "answer", "refusal", "method", "path", "address"), lines) + link

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
            limits = key_limits_of(data)
            key, text = api_key_create(
                **data, limits=limits, actor=request.user.get_username(), actor_user_id=request.user.pk
            )
            return self._key_page(request, key, text)

        form = ApiKeyForm(sent(request), partners=partners)
        return self.action_form_view(request, title="New API key", form=form, call=call, done="")

    @action(description="Expiry and addresses", icon="tune", permissions=["configure"])
    def restrict(self, request: HttpRequest, object_id: str) -> HttpResponse:
        key: ApiKey = self.object_or_404(request, object_id)
        last_day = None if key.expires_at is None else (key.expires_at - timedelta(seconds=1)).astimezone(UTC).date()
        addresses = "\n".join(map(address_shown, key.allowed_addresses))
        return self.action_form_view(
            request,
            obj=key,
            title=f"Expiry and addresses of {key.prefix}",
            form=KeyLimitsForm(sent(request), initial={"last_day": last_day, "allowed_addresses": addresses}),
            call=lambda data: changed_message(
                api_key_restrict(
                    key=key,
                    limits=key_limits_of(data),
                    actor=request.user.get_username(),
                    actor_user_id=request.user.pk,
                    version=version_sent(request),
                )
            ),
            version=shown_version(key_limits_for_audit(key)),
            done="The key's expiry and addresses are saved. They apply from its next request.",
        )

    @action(description="Revoke", icon="key_off", variant=ActionVariant.DANGER, permissions=["configure"])
    def revoke(self, request: HttpRequest, object_id: str) -> HttpResponse:
        key: ApiKey = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=key,
            title=f"Revoke {key.prefix}",
            form=ReasonForm(sent(request)),
            call=lambda data: api_key_revoke(
                key=key, actor=request.user.get_username(), actor_user_id=request.user.pk, **data
            ),
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


class AnswerFilter(NamedFilter):
    """Requests that were carried out, or refused."""

    title = "answer"
    parameter_name = "answer"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, f"{name} ({statuses[0]} to {statuses[-1]})") for name, statuses in ANSWERS.items()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if not self.value():
            return queryset
        statuses = ANSWERS[str(self.value())]
        return queryset.filter(status__gte=statuses[0], status__lte=statuses[-1])


class CodeFilter(NamedFilter):
    """Requests that were answered with an error of this code."""

    title = "refusal"
    parameter_name = "code"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(code, code) for code in error_codes()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(code=self.value()) if self.value() else queryset


def refusal_text(row: ApiKeyRequest) -> str:
    """Return the code of a refusal, and the field that it names."""
    if row.code is None:
        return "-"
    return row.code if row.field is None else f"{row.code}: {row.field}"


@admin.register(ApiKeyRequest)
class ApiKeyRequestAdmin(OfficeAdmin):
    """The last requests of each key."""

    partner_path = "key__partner_id"
    linked_lookups = frozenset({"key__id__exact"})
    list_display = ["time_text", "key_link", "method", "path", "answer", "refusal", "address"]
    list_select_related = ["key"]
    list_filter = [("time", DayRangeFilter), ("key__partner", RelatedFilter), AnswerFilter, CodeFilter]
    fields = ["time_text", "key_link", "method", "path", "answer_text", "refusal", "address"]
    search_fields = ["path"]
    search_help_text = "A key's prefix, an address, or part of a path"

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        if term.startswith(PREFIX_START):
            return {"key__prefix": term}
        return None if term.startswith("/") else {"address": term}

    @display(description="time (UTC)")
    def time_text(self, row: ApiKeyRequest) -> SafeString:
        return time_html(row.time)

    @display(description="API key")
    def key_link(self, row: ApiKeyRequest) -> SafeString:
        return link_html("partners_apikey", row.key_id, row.key)

    @display(description="answer", label={"refused": "warning", "failed": "danger", "done": "success"})
    def answer(self, row: ApiKeyRequest) -> tuple[str, str]:
        return next(name for name, statuses in ANSWERS.items() if row.status in statuses), str(row.status)

    @display(description="refusal")
    def refusal(self, row: ApiKeyRequest) -> str:
        return refusal_text(row)

    @display(description="answer")
    def answer_text(self, row: ApiKeyRequest) -> str:
        return f"{row.status} {http_responses.get(row.status, '')}".rstrip()
