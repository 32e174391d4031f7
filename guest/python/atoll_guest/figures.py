"""Figures of plotly and altair as data: what a client with their JavaScript can draw; and images of
Pillow, shown where the code runs.

Both show themselves as HTML that a browser loads the library for. That stays, and the figure's own
JSON comes along: application/vnd.plotly.v1+json, application/vnd.vegalite.v6.json.
"""

import sys

# Names of renderers that plotly has: its JSON, and a page without the 5 MB of the library. What it
# takes for a shell that it does not know shows the whole library with the first figure.
_PLOTLY_RENDERER = "plotly_mimetype+colab"
_ALTAIR_VERSIONS = ("v5", "v6", "v7")


def prepare_environment(environment):
    environment.setdefault("PLOTLY_RENDERER", _PLOTLY_RENDERER)


def install(display_formatter):
    # By name: altair is imported when somebody uses it.
    for version in _ALTAIR_VERSIONS:
        display_formatter.mimebundle_formatter.for_type_by_name(
            f"altair.vegalite.{version}.api", "TopLevelMixin", of_chart
        )


def of_chart(chart):
    """What altair shows, by the renderer that the user chose, and the chart as data."""
    shown = chart._repr_mimebundle_(include=None, exclude=None)
    data, metadata = shown if isinstance(shown, tuple) else (shown, {})
    if data and "text/html" in data:
        import altair

        version = altair.SCHEMA_VERSION.lstrip("v").partition(".")[0]
        suffix = "+json" if version == "5" else ".json"
        data = {**data, f"application/vnd.vegalite.v{version}{suffix}": chart.to_dict()}
    return data, metadata


def show_images_inline():
    """`image.show()` is a display: what Pillow prefers are programs for a screen that is not there.

    In the zygote, if the template has it loaded: its list of viewers is made at the import."""
    if "PIL.Image" not in sys.modules:
        return
    from IPython.display import display
    from PIL import ImageShow

    class Inline(ImageShow.Viewer):
        def show_image(self, image, **options):
            display(image)
            return True

    ImageShow.register(Inline(), 0)
