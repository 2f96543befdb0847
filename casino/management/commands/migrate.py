"""`manage.py migrate`, which takes half as long on an empty database as Django's own command.

After each operation Django makes the classes of a changed model and of all its relatives anew. Here a new model gets a
class and nothing else does, and a new index or constraint is put into the class that its model has.
"""

from typing import Any

from django.core.management.commands import migrate
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ModelState, ProjectState


class LeanState(ProjectState):
    """The models between two operations; a class is made anew only if fields change."""

    def clone(self) -> "LeanState":
        return _lean(super().clone())

    def add_model(self, model_state: ModelState) -> None:
        """Make the class of a new model. Its relatives learn of it when it is registered."""
        apps = self.__dict__.pop("apps", None)  # without it Django notes the model, and makes no classes
        super().add_model(model_state)
        if apps is not None:
            self.__dict__["apps"] = apps
            apps.render_multiple([model_state])

    def _append_option(self, app_label: str, model_name: str, option_name: str, obj: object) -> None:
        """Add an index or constraint."""
        apps = self.__dict__.pop("apps", None)
        super()._append_option(app_label, model_name, option_name, obj)  # type: ignore[misc]
        if apps is not None:
            self.__dict__["apps"] = apps
            options = apps.get_model(app_label, model_name)._meta
            setattr(options, option_name, list(self.models[app_label, model_name].options[option_name]))
            options._expire_cache()


class LeanExecutor(MigrationExecutor):
    """Applies migrations to such models."""

    def _create_project_state(self, with_applied_migrations: bool = False) -> LeanState:
        return _lean(super()._create_project_state(with_applied_migrations))  # type: ignore[misc]


class Command(migrate.Command):
    """Django's command, with our executor."""

    def handle(self, *args: Any, **options: Any) -> None:
        migrate.MigrationExecutor = LeanExecutor  # type: ignore[attr-defined]  # the command has no setting for it
        super().handle(*args, **options)


def _lean(state: ProjectState) -> LeanState:
    """Return the same state, which Django makes as one of its own class."""
    state.__class__ = LeanState
    assert isinstance(state, LeanState)
    return state
