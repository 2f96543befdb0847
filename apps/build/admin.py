"""The checks of the build in the back office."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.build.models import BuildCheck, CheckScope
from apps.build.services import build_check
from apps.core.admin import AppendOnlyAdmin, OfficeAdmin, sent
from apps.core.count_texts import counted
from apps.core.staff_scope import AUDITOR, OPERATOR


@admin.register(BuildCheck)
class BuildCheckAdmin(AppendOnlyAdmin):
    readers = frozenset({AUDITOR, OPERATOR})
    all_partners_only = True
    list_display = ["id", "created", "scope", "by", "version", "result"]
    add_words = "Check the build"
    fields = [*list_display, "manifest_hash", "is_signed", "sentences"]

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return OfficeAdmin.has_operate_permission(self, request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_operate_permission(request)

    @display(description="result", label={"as released": "success", "differs": "danger"})
    def result(self, check: BuildCheck) -> str:
        return "differs" if check.found else "as released"

    @display(description="differences")
    def sentences(self, check: BuildCheck) -> SafeString | str:
        return format_html_join("", "<div>{}</div>", ((each,) for each in check.differences)) or "None."

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Check the whole build."""
        self.add_permission_require(request)
        return self.action_form_view(
            request,
            title="Check the build",
            form=forms.Form(sent(request)),
            call=lambda _: counted(
                build_check(scope=CheckScope.ALL, by=request.user.get_username()).found,
                "difference was found.",
                "differences were found.",
            ),
            done="",
            note="Compares files, packages, settings and the database's definitions with the release's manifest.",
            extra={"submit": "Check"},
        )
