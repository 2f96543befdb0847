"""The app `partners`."""

from django.apps import AppConfig


class PartnersConfig(AppConfig):
    """Registers the models of `apps.partners` under the label `partners`."""

    name = "apps.partners"
    label = "partners"
    default_auto_field = "django.db.models.BigAutoField"
