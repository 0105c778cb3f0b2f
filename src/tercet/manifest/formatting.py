"""One layout for manifests. Comments, banners and the order of keys stay."""

from __future__ import annotations

import io

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from tercet.domain.errors import InvalidManifest

_WIDTH = 110


def format_text(text: str) -> str:
    """Return the text with two-space indentation and dashes indented under their key. Raises InvalidManifest."""
    yaml = YAML(typ="rt")
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.width = _WIDTH
    yaml.preserve_quotes = True
    try:
        document = yaml.load(text)
    except (YAMLError, ValueError) as error:
        raise InvalidManifest(
            f"the manifest is not YAML: {str(error).splitlines()[0]}", hint="see `tercet manifest check`"
        ) from error
    if document is None:
        return text
    out = io.StringIO()
    yaml.dump(document, out)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join(lines).rstrip() + "\n"
