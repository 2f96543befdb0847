"""Baccarat's limits, odds and records in the back office."""

from apps.baccarat.one_deal_game import BACCARAT
from apps.one_deal.admin import admins_register

admins_register(BACCARAT, side_labels={"player": "player side", "banker": "banker side"})
