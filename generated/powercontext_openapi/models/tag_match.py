# Generated from openapi/powercontext.json by openapi-python-client 0.29.1; do not edit.
from typing import Literal

TagMatch = Literal['all', 'any']

TAG_MATCH_VALUES: set[TagMatch] = { 'all', 'any',  }

def check_tag_match(value: str) -> TagMatch:
    if value in TAG_MATCH_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TAG_MATCH_VALUES!r}")
