"""The app `build`."""

from django.apps import AppConfig


class BuildConfig(AppConfig):
    """Registers the models of `apps.build` under the label `build`."""

    name = "apps.build"
    label = "build"
    default_auto_field = "django.db.models.BigAutoField"
