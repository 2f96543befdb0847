"""Django's admin with our site in place of its own."""

from django.contrib.admin.apps import AdminConfig


class OfficeAdminConfig(AdminConfig):
    default_site = "apps.office.site.OfficeSite"
