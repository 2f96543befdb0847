"""The app `bundles`."""

from django.apps import AppConfig


class BundlesConfig(AppConfig):
    """Registers `apps.bundles` under the label `bundles`."""

    name = "apps.bundles"
    label = "bundles"
    default_auto_field = "django.db.models.BigAutoField"
