"""The models that `migrate` shows to a migration are those that Django would show."""

import pytest
from django.apps.registry import Apps
from django.db import connection, models
from django.db.migrations.state import ModelState, ProjectState

from casino.management.commands.migrate import LeanExecutor, LeanState

pytestmark = pytest.mark.django_db


def described(model: type[models.Model]) -> dict[str, object]:
    options = model._meta
    return {
        "columns": [
            (field.name, type(field), field.db_type(connection), field.null, field.unique)
            for field in options.concrete_fields
        ],
        "points to": {
            (field.name, str(field.related_model and field.related_model._meta)) for field in options.get_fields()
        },
        "indexes": options.indexes,
        "constraints": options.constraints,
    }


def all_described(apps: Apps) -> dict[str, object]:
    return {model._meta.label: described(model) for model in apps.get_models(include_auto_created=True)}


def test_after_all_migrations_each_model_is_as_django_makes_it_at_once() -> None:
    executor = LeanExecutor(connection)
    state = executor._create_project_state()
    assert list(state.apps.get_models()) == []
    for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes(), clean_start=True):
        migration.mutate_state(state, preserve=False)
    assert all_described(state.apps) == all_described(ProjectState(state.models, state.real_apps).apps)


def test_what_points_to_a_model_points_to_the_class_that_it_has_now() -> None:
    state = LeanExecutor(connection)._create_project_state(with_applied_migrations=True)
    key = models.ForeignKey("rounds.Round", models.PROTECT)
    former = state.apps.get_model("rounds.Round")
    state.add_model(ModelState("rounds", "Note", [("id", models.BigAutoField(primary_key=True)), ("round", key)]))
    state.add_field("rounds", "round", "extra", models.IntegerField(null=True), preserve_default=True)
    now = state.apps.get_model("rounds.Round")
    assert now is not former
    assert state.apps.get_model("rounds.Note")._meta.get_field("round").related_model is now
    assert state.apps.get_model("rounds.Note") in {relation.related_model for relation in now._meta.related_objects}


def test_a_change_is_not_seen_in_the_state_before_it() -> None:
    state = LeanExecutor(connection)._create_project_state(with_applied_migrations=True)
    apps = state.apps
    before = state.clone()
    assert isinstance(before, LeanState)
    state.add_model(ModelState("rounds", "Note", [("id", models.BigAutoField(primary_key=True))]))
    assert "note" in apps.all_models["rounds"]
    assert "note" not in before.apps.all_models["rounds"]
    assert ("rounds", "note") not in before.models
