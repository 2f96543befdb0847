"""Production: refuses to start without a secret or an address that it needs, or with a default one, and names it."""

from casino import env
from casino.settings.base import *  # noqa: F403
from casino.settings.known_secrets import KNOWN_SECRETS

SECRET_KEY = env.secret("SECRET_KEY", defaults=KNOWN_SECRETS)
PUNTO_SEED_KEY = env.secret("PUNTO_SEED_KEY", defaults=KNOWN_SECRETS)
PUNTO_SEAL_KEY = env.secret("PUNTO_SEAL_KEY", defaults=KNOWN_SECRETS)
PUNTO_SIGN_KEYS = env.sign_keys("PUNTO_SIGN_KEYS", defaults=KNOWN_SECRETS)
env.required("DATABASE_URL")
env.required("REDIS_URL")
ALLOWED_HOSTS = env.names("PUNTO_ALLOWED_HOSTS") or [env.required("PUNTO_ALLOWED_HOSTS")]
CSRF_TRUSTED_ORIGINS = env.names("PUNTO_TRUSTED_ORIGINS")

_https = env.flag("PUNTO_HTTPS", default=True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = _https
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # requests from inside have no TLS
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SESSION_COOKIE_SECURE = _https
CSRF_COOKIE_SECURE = _https
LANGUAGE_COOKIE_SECURE = _https

globals().update(env.email(env.text("EMAIL_URL", "consolemail://")))
