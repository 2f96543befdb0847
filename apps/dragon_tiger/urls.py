"""Dragon tiger's URLs, except the bet endpoint (`GameSpec.endpoints`)."""

from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.one_deal.api import config_urls

urlpatterns = config_urls(DRAGON_TIGER)
