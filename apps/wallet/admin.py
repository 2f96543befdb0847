"""The ledger, read-only. An operator can correct a wallet only by a recorded adjustment."""

from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from import_export import fields
from import_export.resources import ModelResource
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.accounts.selectors import log_in_of
from apps.core.admin import AppendOnlyAdmin, ExportAdmin, OfficeAdmin, ReasonForm, sent
from apps.core.filters import ConditionFilter, DayRangeFilter, RelatedFilter
from apps.core.models import AMOUNT_DECIMALS, AMOUNT_DIGITS
from apps.core.money import amount_text, plain
from apps.core.office_html import link_html, table_html
from apps.core.staff_scope import AUDITOR, OPERATOR
from apps.core.uuid_search import uuid_lookup
from apps.core.widgets import AmountInput, PlainDecimalField
from apps.wallet.models import (
    TRANSFER_KINDS,
    DailySeal,
    HouseAccount,
    HouseSnapshot,
    Wallet,
    WalletStatus,
    WalletTransaction,
)
from apps.wallet.movements_html import change_html, round_link, transaction_id_short, transactions_table
from apps.wallet.selectors import transfer_ids_named
from apps.wallet.services import wallet_adjust, wallet_status_set

RECENT_ROWS = 20


class AdjustForm(forms.Form):
    """A correction and its reason."""

    change = PlainDecimalField(
        max_digits=AMOUNT_DIGITS,
        decimal_places=AMOUNT_DECIMALS,
        widget=AmountInput,
        help_text="In units of the currency; a negative amount is taken from the wallet.",
    )
    reason = forms.CharField(
        max_length=500, widget=UnfoldAdminTextareaWidget, help_text="It is stored permanently with your name."
    )


@admin.register(Wallet)
class WalletAdmin(OfficeAdmin):
    partner_path = "house_account__partner_id"
    subject_name = staticmethod(lambda wallet: f"{wallet.currency_id} of {wallet.player}")
    subject_related = ("player",)
    linked_lookups = frozenset({"player__id__exact"})
    list_display = ["id", "player_link", "partner", "balance_text", "state", "row_count", "created"]
    list_select_related = ["player", "house_account__partner", "currency"]
    list_filter = [("house_account__partner", RelatedFilter), ("currency", RelatedFilter)]
    fields = ["id", "player_link", "partner", "balance_text", "state", "row_count", "head_text", "created", "movements"]
    actions_detail = ["adjust", "block", "unblock"]

    def hidden_actions(self, row: Wallet) -> Collection[str]:
        return ["unblock" if row.status == WalletStatus.ACTIVE else "block"]

    search_fields = ["player__reference"]
    search_help_text = "A part of a player's reference"

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return {"player__reference__icontains": term}

    @display(description="partner", ordering="house_account__partner")
    def partner(self, wallet: Wallet) -> str:
        return str(wallet.house_account.partner)

    @display(description="player", ordering="player")
    def player_link(self, wallet: Wallet) -> SafeString:
        return link_html("accounts_player", wallet.player_id, wallet.player)

    @display(description="balance", ordering="balance")
    def balance_text(self, wallet: Wallet) -> str:
        return amount_text(wallet.balance, wallet.currency)

    @display(description="status", label={"active": "success", "blocked": "danger"})
    def state(self, wallet: Wallet) -> str:
        return wallet.status

    @display(description="newest hash")
    def head_text(self, wallet: Wallet) -> SafeString:
        return format_html('<code class="hash">{}</code>', bytes(wallet.head).hex() or "-")

    @display(description="newest movements")
    def movements(self, wallet: Wallet) -> SafeString:
        rows = wallet.transactions.select_related("wallet__currency").order_by("-number")[:RECENT_ROWS]
        every = f"{reverse('admin:wallet_wallettransaction_changelist')}?wallet__id__exact={wallet.pk}"
        return format_html('{}<p><a href="{}">All movements</a></p>', transactions_table(rows), every)

    @action(description="Adjust", icon="edit_note", permissions=["operate"])
    def adjust(self, request: HttpRequest, object_id: str) -> HttpResponse:
        wallet: Wallet = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=wallet,
            title=f"Adjust the wallet of {wallet.player}",
            form=AdjustForm(sent(request)),
            call=lambda data: wallet_adjust(operator=log_in_of(request), wallet=wallet, **data),
            done="The adjustment is in the ledger.",
            note=f"The wallet holds {amount_text(wallet.balance, wallet.currency)}. "
            "The adjustment is a new row of the ledger; no row is ever changed.",
        )

    @action(description="Block", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def block(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._status_page(request, object_id, WalletStatus.BLOCKED, "Block the wallet")

    @action(description="Unblock", icon="check", permissions=["operate"])
    def unblock(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._status_page(request, object_id, WalletStatus.ACTIVE, "Open the wallet again")

    def _status_page(self, request: HttpRequest, object_id: str, status: WalletStatus, title: str) -> HttpResponse:
        wallet: Wallet = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=wallet,
            title=f"{title}: {wallet.player}",
            form=ReasonForm(sent(request)),
            call=lambda data: wallet_status_set(operator=log_in_of(request), wallet=wallet, status=status, **data),
            done=f"The wallet is {status}.",
            extra={"danger": status is WalletStatus.BLOCKED},
        )


class KindFilter(ConditionFilter):
    """Movements other than bets and rewards, or one kind of them; an index covers them."""

    title = "kind"
    parameter_name = "kind"

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        single = {kind.value: (f"{kind.label}s", Q(kind=kind)) for kind in TRANSFER_KINDS}
        return {"transfers": ("all but play", Q(kind__in=TRANSFER_KINDS)), **single}


class WalletTransactionResource(ModelResource):
    """The columns of an export of the ledger."""

    partner = fields.Field(attribute="house_account__partner__slug", column_name="partner")
    player = fields.Field(attribute="wallet__player__reference", column_name="player")
    currency = fields.Field(attribute="wallet__currency_id", column_name="currency")
    hash = fields.Field(column_name="hash")
    transaction_id = fields.Field(attribute="transaction_id", column_name="transaction_id")

    class Meta:
        model = WalletTransaction
        fields = (
            "id", "ctime", "partner", "player", "currency", "wallet", "number", "kind", "change", "balance_after",
            "round_id", "record_id", "source_key", "reason", "hash", "transaction_id",
        )  # fmt: skip
        export_order = fields

    def dehydrate_ctime(self, row: WalletTransaction) -> str:
        return row.ctime.isoformat()

    def dehydrate_change(self, row: WalletTransaction) -> str:
        return plain(row.change)

    def dehydrate_balance_after(self, row: WalletTransaction) -> str:
        return plain(row.balance_after)

    def dehydrate_hash(self, row: WalletTransaction) -> str:
        return bytes(row.hash).hex()


@admin.register(WalletTransaction)
class WalletTransactionAdmin(ExportAdmin, AppendOnlyAdmin):
    partner_path = "house_account__partner_id"
    linked_lookups = frozenset({"wallet__id__exact"})
    resource = WalletTransactionResource
    export_numbers = frozenset({"id", "wallet", "number", "change", "balance_after"})
    export_related = ("house_account__partner", "wallet__player", "wallet__currency")
    list_display = [
        "id", "created", "player", "partner", "kind_label", "change_text", "balance_text", "round_link",
        "short_transfer_id",
    ]  # fmt: skip
    list_select_related = ["wallet__player", "wallet__currency", "house_account__partner"]
    list_filter = [("ctime", DayRangeFilter), ("house_account__partner", RelatedFilter), KindFilter]
    fields = [
        "id", "created", "wallet_link", "player", "partner", "number", "kind_label", "change_text", "balance_text",
        "transfer_id", "round_link", "record_id", "source_key", "reason", "hash_text",
    ]  # fmt: skip
    search_fields = ["source_key"]
    search_help_text = (
        "A partner's transaction id, a movement's id, a round's id or how it begins, a source key, or a player's"
        " whole reference"
    )

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        """Each meaning of a search term uses its own index. A partner's transaction id may look like any other."""
        named = transfer_ids_named(term)
        if named:
            return {"id__in": [*named, *([int(term)] if term.isdecimal() else [])]}
        if term.isdecimal():
            return {"id": int(term)}
        if lookup := uuid_lookup("round_id", term):
            return lookup
        if ":" in term:
            return {"source_key": term}
        return {"wallet__player__reference": term}

    @display(description="player")
    def player(self, row: WalletTransaction) -> SafeString:
        return link_html("accounts_player", row.wallet.player_id, row.wallet.player)

    @display(description="partner")
    def partner(self, row: WalletTransaction) -> str:
        return str(row.house_account.partner)

    @display(description="wallet")
    def wallet_link(self, row: WalletTransaction) -> SafeString:
        return link_html("wallet_wallet", row.wallet_id, row.wallet)

    @display(
        description="kind",
        label={
            "deposit": "info",
            "withdrawal": "info",
            "refill": "info",
            "refund": "warning",
            "adjustment": "warning",
        },
    )
    def kind_label(self, row: WalletTransaction) -> str:
        return row.kind

    @display(description="change", ordering="change")
    def change_text(self, row: WalletTransaction) -> SafeString:
        return change_html(row)

    @display(description="balance after")
    def balance_text(self, row: WalletTransaction) -> str:
        return amount_text(row.balance_after, row.wallet.currency)

    @display(description="round")
    def round_link(self, row: WalletTransaction) -> SafeString | str:
        return round_link(row.round_id)

    @display(description="transaction id")
    def short_transfer_id(self, row: WalletTransaction) -> SafeString | str:
        return transaction_id_short(row)

    @display(description="transaction id")
    def transfer_id(self, row: WalletTransaction) -> str:
        return row.transaction_id or "-"

    @display(description="hash")
    def hash_text(self, row: WalletTransaction) -> SafeString:
        return format_html('<code class="hash">{}</code>', bytes(row.hash).hex())


@admin.register(HouseAccount)
class HouseAccountAdmin(OfficeAdmin):
    """A partner's side of the ledger, with its balance at each snapshot."""

    partner_path = "partner_id"
    list_display = ["id", "partner", "currency"]
    list_select_related = ["partner", "currency"]
    fields = ["id", "partner", "currency", "trial_balance", "snapshots"]

    @display(description="trial balance")
    def trial_balance(self, house: HouseAccount) -> SafeString:
        """Link to the report: the account's balance is a sum that only that report computes."""
        address = reverse("admin:report", args=["liability"])
        return format_html('<a href="{}">Liability and trial balance, this month</a>', address)

    @display(description="newest snapshots")
    def snapshots(self, house: HouseAccount) -> SafeString:
        rows = [
            (f"{snapshot.ctime:%Y-%m-%d %H:%M} UTC", amount_text(snapshot.balance, house.currency), snapshot.row_count)
            for snapshot in house.snapshots.order_by("-id")[:RECENT_ROWS]
        ]
        return table_html(("time", "balance", "movements"), rows)


@admin.register(HouseSnapshot)
class HouseSnapshotAdmin(AppendOnlyAdmin):
    partner_path = "house_account__partner_id"
    list_display = ["id", "created", "house_account", "balance", "row_count"]
    list_select_related = ["house_account"]
    fields = list_display


@admin.register(DailySeal)
class DailySealAdmin(AppendOnlyAdmin):
    """One seal a day: HMAC and signature over everything that it proves. One of format 1 is an HMAC over the wallets'
    chains alone.
    """

    readers = frozenset({AUDITOR, OPERATOR})
    all_partners_only = True
    list_display = ["day_text", "format", "wallet_count", "row_count", "root", "key_id", "created"]
    fields = [
        "day_text", "created", "format", "wallet_count", "row_count", "heads_hash", "root", "sealed_parts",
        "previous_mac", "mac", "key_id", "signature",
    ]  # fmt: skip

    @display(description="day", ordering="day")
    def day_text(self, seal: DailySeal) -> str:
        return seal.day.isoformat()

    @display(description="what the root covers")
    def sealed_parts(self, seal: DailySeal) -> SafeString | str:
        """Return the leaves of a seal of format 2."""
        rows = [(part.type, part.name, part.content) for part in seal.sections.order_by("type", "name")]
        return table_html(("type", "name", "content"), rows) if rows else "-"
