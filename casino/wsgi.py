"""Pages and HTTP in production, but bets with a token: Django takes a tenth of what a request costs it under ASGI."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")

application = get_wsgi_application()
