"""Dragon tiger's limits, odds and records in the back office."""

from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.one_deal.admin import admins_register

admins_register(DRAGON_TIGER, side_labels={"dragon": "dragon", "tiger": "tiger"})
