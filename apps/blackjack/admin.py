"""Admin pages of blackjack's limits and terms, with house edges."""

from collections.abc import Collection
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import SafeString
from unfold.decorators import action, display

from apps.accounts.actors import actor_of_request
from apps.accounts.selectors import log_in_of
from apps.blackjack.configuration import (
    blackjack_limits_set,
    blackjack_terms_confirm,
    blackjack_terms_withdraw,
    house_edge_known,
)
from apps.blackjack.engine.side_bets import SideBetOutcome
from apps.blackjack.forms import BlackjackLimitsForm, NewBlackjackLimitsForm, TermsForm, terms_now
from apps.blackjack.labels import SIDE_BET_OUTCOMES, WORDS_OF_BETS
from apps.blackjack.mathematics.side_bets import perfect_pairs_edge, poker_edge
from apps.blackjack.models import BlackjackConfig, BlackjackTerms, TermsStatus
from apps.blackjack.scheduled import blackjack_limits_save, blackjack_rules_save
from apps.blackjack.terms_details import edge_text
from apps.core.actor_names import shown_actor
from apps.core.admin import ReasonForm, sent, viewer_of
from apps.core.filters import RelatedFilter
from apps.core.form_acts import version_sent
from apps.core.history_admin import HistoryAdmin
from apps.core.money import amount_text
from apps.core.office_html import link_html, table_html, words_register
from apps.core.staff_scope import in_scope
from apps.core.subjects import subject_of
from apps.partners.models import Partner
from apps.scheduled_changes.forms import APPLY_AT
from apps.scheduled_changes.pages import saved_message, scheduled_html, scheduled_note

STATUS_LABELS = {"active": "success", "pending": "warning", "inactive": "info"}


words_register(WORDS_OF_BETS)


@admin.register(BlackjackConfig)
class BlackjackConfigAdmin(HistoryAdmin):
    partner_path = "partner_id"
    subject_name = staticmethod(lambda config: f"of {config.partner} in {config.currency_id}")
    subject_related = ("partner",)
    list_display = ["id", "partner", "currency", "state", "bets", "perfect_pairs", "poker", "version", "changed"]
    list_select_related = ["partner", "currency"]
    list_filter = [("partner", RelatedFilter)]
    fields = [
        "partner",
        "currency",
        "state",
        "bets",
        "perfect_pairs",
        "poker",
        "version",
        "created",
        "changed",
        "terms_table",
        "scheduled",
    ]
    actions_detail = ["change_limits", "change_terms", "changes"]

    def waiting_subjects(self, row: BlackjackConfig) -> list[str]:
        return [subject_of(row), *map(subject_of, row.terms.filter(status=TermsStatus.PENDING))]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    @display(description="status", label=STATUS_LABELS)
    def state(self, config: BlackjackConfig) -> str:
        return "active" if config.active else "inactive"

    @display(description="stakes")
    def bets(self, config: BlackjackConfig) -> str:
        return f"{amount_text(config.bet_min, config.currency)} to {amount_text(config.bet_max, config.currency)}"

    @display(description="perfect pairs")
    def perfect_pairs(self, config: BlackjackConfig) -> str:
        if not config.perfect_pairs_max:
            return "off"
        low, high = config.perfect_pairs_min, config.perfect_pairs_max
        return f"{amount_text(low, config.currency)} to {amount_text(high, config.currency)}"

    @display(description="21+3 poker")
    def poker(self, config: BlackjackConfig) -> str:
        if not config.poker_max:
            return "off"
        return f"{amount_text(config.poker_min, config.currency)} to {amount_text(config.poker_max, config.currency)}"

    @display(description="rules and odds")
    def terms_table(self, config: BlackjackConfig) -> SafeString:
        return table_html(
            ("terms", "status", "house edge", "perfect pairs", "poker", "reason"),
            [
                (
                    link_html("blackjack_blackjackterms", terms.pk, terms),
                    terms.get_status_display(),
                    edge_text(terms.house_edge),
                    edge_text(terms.perfect_pairs_edge),
                    edge_text(terms.poker_edge),
                    terms.reason or "-",
                )
                for terms in config.terms.order_by("-id")[:20]
            ],
        )

    @display(description="scheduled changes")
    def scheduled(self, config: BlackjackConfig) -> SafeString:
        return scheduled_html(config)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create limits in a currency without limits. Existing limits are changed on their own page."""
        self.add_permission_require(request)
        partners = in_scope(Partner.objects.all(), viewer=viewer_of(request), partner_path="id")
        form = NewBlackjackLimitsForm(sent(request), partners=partners)

        def call(data: dict[str, Any]) -> HttpResponse:
            config = blackjack_limits_set(
                partner=data["partner"],
                currency=data["currency"],
                limits=form.limits,
                actor=actor_of_request(request),
                active=data["active"],
            )
            return HttpResponseRedirect(self.page_url(config))

        done = "The limits are saved."
        return self.action_form_view(request, title="New blackjack limits", form=form, call=call, done=done)

    @action(description="Change limits", icon="tune", permissions=["configure"])
    def change_limits(self, request: HttpRequest, object_id: str) -> HttpResponse:
        config: BlackjackConfig = self.object_or_404(request, object_id)
        form = BlackjackLimitsForm(sent(request), config=config)
        return self.action_form_view(
            request,
            obj=config,
            title=f"Blackjack limits of {config.partner} in {config.currency}",
            form=form,
            call=lambda data: saved_message(
                blackjack_limits_save(
                    user=log_in_of(request),
                    config=config,
                    limits=form.limits,
                    active=data["active"],
                    apply_at=data[APPLY_AT],
                    version=version_sent(request),
                ),
                version_sent(request),
            ),
            version=config.version,
            note=scheduled_note(config),
            done="The limits are saved. They apply from the next bet; open tables get them at once.",
        )

    @action(description="Change rules and odds", icon="rule", permissions=["configure"])
    def change_terms(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Change rule options and side-bet odds, with a preview of the house edges."""
        config: BlackjackConfig = self.object_or_404(request, object_id)
        form = TermsForm(sent(request), terms=terms_now(config))

        def call(data: dict[str, Any]) -> str | None:
            version = version_sent(request)
            saved = blackjack_rules_save(
                user=log_in_of(request),
                config=config,
                rules=data["rules"],
                odds={"perfect_pairs": form.odds("pairs"), "poker": form.odds("poker")},
                apply_at=data[APPLY_AT],
                version=version,
            )
            if (message := saved_message(saved, version)) is not None:
                return message
            waiting = config.terms.filter(status=TermsStatus.PENDING).first()
            return f"The terms are saved and wait: {waiting.reason}." if waiting is not None else None

        return self.action_form_view(
            request,
            obj=config,
            title=f"Blackjack rules and odds of {config.partner} in {config.currency}",
            form=form,
            call=call,
            version=config.version,
            done="The terms are saved and apply from the next bet.",
            note="Terms are pending until their house edge is known, or, if a bet favours the player, until an"
            f" operator confirms them in writing. {scheduled_note(config)}",
            template="blackjack/terms_form.html",
            extra={"edges": terms_edges(form)},
        )

    def history_rows(self, obj: BlackjackConfig) -> list[Any]:
        return [obj, *obj.terms.all()]


@admin.register(BlackjackTerms)
class BlackjackTermsAdmin(HistoryAdmin):
    partner_path = "config__partner_id"
    subject_name = staticmethod(lambda terms: f"of {terms.config.partner} in {terms.config.currency_id}")
    subject_related = ("config__partner",)
    list_display = [
        "id",
        "partner",
        "currency",
        "state",
        "main_edge",
        "pairs_edge",
        "poker_edge_text",
        "reason",
        "changed",
    ]
    list_select_related = ["config__partner"]
    list_filter = [("config__partner", RelatedFilter)]
    fields = [
        "id", "partner", "config_link", "state", "main_edge", "pairs_edge", "poker_edge_text", "reason",
        "confirmed_text", "rules_text", "pairs_odds_text", "poker_odds_text", "fingerprint", "created", "changed",
    ]  # fmt: skip
    actions_detail = ["confirm", "withdraw", "changes"]

    @display(description="confirmed by")
    def confirmed_text(self, row: BlackjackTerms) -> str:
        return shown_actor(row.confirmed_by or "-")

    def hidden_actions(self, row: BlackjackTerms) -> Collection[str]:
        return [] if row.status == TermsStatus.PENDING else ["confirm", "withdraw"]

    @display(description="partner")
    def partner(self, terms: BlackjackTerms) -> str:
        return str(terms.config.partner)

    @display(description="limits")
    def config_link(self, terms: BlackjackTerms) -> SafeString:
        return link_html("blackjack_blackjackconfig", terms.config_id, terms.config)

    @display(description="currency")
    def currency(self, terms: BlackjackTerms) -> str:
        return terms.config.currency_id

    @display(description="status", label=STATUS_LABELS)
    def state(self, terms: BlackjackTerms) -> str:
        return terms.get_status_display()

    @display(description="house edge")
    def main_edge(self, terms: BlackjackTerms) -> str:
        return edge_text(terms.house_edge)

    @display(description="perfect pairs")
    def pairs_edge(self, terms: BlackjackTerms) -> str:
        return edge_text(terms.perfect_pairs_edge)

    @display(description="21+3 poker")
    def poker_edge_text(self, terms: BlackjackTerms) -> str:
        return edge_text(terms.poker_edge)

    @display(description="rules")
    def rules_text(self, terms: BlackjackTerms) -> SafeString:
        # Compare types, since 1 equals True: one split is not a "yes".
        rows = [
            (name.replace("_", " "), ("yes" if value else "no") if isinstance(value, bool) else value)
            for name, value in sorted(terms.rules.items())
        ]
        return table_html(("rule", "setting"), rows)

    @display(description="odds of perfect pairs")
    def pairs_odds_text(self, terms: BlackjackTerms) -> SafeString:
        return _odds_table(terms.perfect_pairs_odds)

    @display(description="odds of 21+3 poker")
    def poker_odds_text(self, terms: BlackjackTerms) -> SafeString:
        return _odds_table(terms.poker_odds)

    @action(description="Confirm in writing", icon="verified", permissions=["operate"])
    def confirm(self, request: HttpRequest, object_id: str) -> HttpResponse:
        terms: BlackjackTerms = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=terms,
            title=f"Confirm {self.row_title(terms)}",
            form=ReasonForm(sent(request)),
            call=lambda data: blackjack_terms_confirm(operator=log_in_of(request), terms=terms, **data),
            done="The terms apply from the next bet.",
            note=terms.reason or "These terms are not pending.",
            extra={"submit": "Confirm"},
        )

    @action(description="Withdraw or reject", icon="undo", permissions=["configure"])
    def withdraw(self, request: HttpRequest, object_id: str) -> HttpResponse:
        terms: BlackjackTerms = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=terms,
            title=f"Withdraw {self.row_title(terms)}",
            form=ReasonForm(sent(request)),
            call=lambda data: blackjack_terms_withdraw(user=log_in_of(request), terms=terms, **data),
            done="The pending terms are off. What was offered before is offered as it was.",
            note=terms.reason or "These terms are not pending.",
            extra={"submit": "Withdraw the terms"},
        )


def _odds_table(odds: dict[str, str]) -> SafeString:
    rows = [(SIDE_BET_OUTCOMES[SideBetOutcome(name)], to_one) for name, to_one in odds.items()]
    return table_html(("outcome", "X to 1"), rows)


def terms_edges(form: TermsForm) -> list[tuple[str, str]]:
    """Return the known house edges of each bet under the terms in the form."""
    if not form.is_bound or not form.is_valid():
        return []
    rules = form.cleaned_data["rules"]
    main = house_edge_known(rules)
    return [
        ("main game", "computed after saving, in some seconds" if main is None else edge_text(main)),
        ("perfect pairs", edge_text(perfect_pairs_edge(form.fractions("pairs"), rules.decks))),
        ("21+3 poker", edge_text(poker_edge(form.fractions("poker"), rules.decks))),
    ]
