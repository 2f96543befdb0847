"""Static files, with few headers: a table loads some seventy of them."""

from collections.abc import Iterable, Iterator

from django.contrib.staticfiles.apps import StaticFilesConfig
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from whitenoise.base import StaticFile
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFileMiddleware(WhiteNoiseMiddleware):
    """Serves static files before any other middleware: the security headers of pages say nothing about a script.

    A file with its digest in its name never changes, so no browser asks whether it has changed.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponseBase:
        """Return the file, or 304 if the browser has it."""
        response: HttpResponseBase = WhiteNoiseMiddleware.serve(static_file, request)
        response["X-Content-Type-Options"] = "nosniff"
        if "immutable" in response.get("Cache-Control", ""):
            del response["ETag"]
            del response["Last-Modified"]
        return response


class StaticFileConfig(StaticFilesConfig):
    """Leaves out of a build what no page asks for: ReDoc, and the pages of Django REST framework. Compressing them took
    a quarter of the build's time."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc", "rest_framework"]


class StaticFileStorage(CompressedManifestStaticFilesStorage):
    """Names each file by its digest, also where a module imports another, so that a browser keeps them all for good.

    Django's own patterns find the modules' types in comments too, which import each other in circles.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (
            "*.js",
            (
                (
                    r"""(?m)(?P<matched>^(?P<words>(?:import|export)\s(?:[^;"']*\sfrom\s+)?)["'](?P<url>[./][^"']*)["'];)""",
                    """%(words)s"%(url)s";""",
                ),
                (
                    r"""(?P<matched>(?P<words>(?:await|return|=|=>)\s+)import\(["'](?P<url>[./][^"']*)["']\)(?!\.(?-i:[A-Z])))""",
                    """%(words)simport("%(url)s")""",
                ),
            ),
        ),
    )
    max_post_process_passes = 20
    """The most modules in a chain of imports."""

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress the copies with a digest alone, which pages ask for: the others would double the time of a build."""
        asked_for = set(self.hashed_files.values())
        compressed: Iterator[tuple[str, str]] = super().compress_files(path for path in paths if path in asked_for)
        return compressed
