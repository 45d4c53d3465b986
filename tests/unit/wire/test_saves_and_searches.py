# SPDX-License-Identifier: Apache-2.0
"""The answers to a save and to a search, of both generations: read whole, or refused, or flagged."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercontext_deerflow.api.wire import (
    LegacyRemembered,
    LegacySearchAnswer,
    Remembered,
    SearchAnswer,
    decode_remembered,
    decode_search,
)
from powercontext_deerflow.errors import AnswerError
from tests.support.cases import each_case
from tests.unit.wire.bodies import (
    BEYOND_PYTHON,
    CANARY,
    DECODERS,
    ENTRY,
    ERROR,
    HIT,
    HUGE,
    LEGACY_HIT,
    LEGACY_REMEMBERED,
    LEGACY_SEARCH,
    MEMORY,
    RECORD,
    REMEMBERED,
    SEARCH,
    VALUES,
    Path,
    objects_in,
    paths_in,
    refusal,
    sent,
)

# --- saving and search, both generations

BAD_IDENTIFIER = [
    *['""', '" "', '"a b"', '" a"', '"a\\n"', '"\\na"', '"a\\u0000"', '"a\\u007f"', '"a\\u00a0"'],
    *[
        '"\\u00e9"',
        '"界"',
        '"' + "a" * 257 + '"',
        '"a\\r\\nX-Evil: 1"',
        "null",
        "7",
        "[]",
        "{}",
        None,
    ],
]
BAD_REVISION = [
    *["0", "-1", "1.0", "1e0", "true", '"1"', "null", "[]", "{}", None, "NaN", "Infinity", "1e400"],
    *[HUGE, f"-{HUGE}", BEYOND_PYTHON, str(2**63), "01"],
]
BAD_KIND = ['""', '"' + "k" * 129 + '"', "null", "7", "[]", None]
BAD_TEXT = ["null", "7", "true", "[]", '["a"]', '"\\ud800"', None]
NO_OBJECT = ["[]", '"x"', "7", "true", "{}"]
BAD_ARTIFACT: dict[Path, list[str | None]] = {
    (): [*NO_OBJECT, "null", None],
    ("family",): ['"memory"', '"Atomic-memory"', '""', '"experience"', "null", "7", None],
    ("artifact_id",): [*BAD_IDENTIFIER],
    ("revision",): [*BAD_REVISION],
}
BAD_MEMORY: dict[Path, list[str | None]] = {
    **BAD_ARTIFACT,
    ("family",): ['"atomic-memory"', '"Memory"', '""', "null", "7", None],
}
BAD_CITATION: dict[Path, list[str | None]] = {
    (): [*NO_OBJECT, "null", None],
    ("entry_id",): [*BAD_IDENTIFIER],
    ("entry_version_id",): [*BAD_IDENTIFIER],
    **{("memory_ref", *path): bad for path, bad in BAD_MEMORY.items()},
}
BAD_RECORD: dict[Path, list[str | None]] = {
    **{("artifact", *path): bad for path, bad in BAD_ARTIFACT.items()},
    ("kind",): [*BAD_KIND],
    ("text",): [*BAD_TEXT],
    ("state",): ['"deleted"', '"Active"', '"inactive"', '""', "null", "true", "[]", None],
    ("state_version",): ["-1", "1.0", "true", '"0"', "null", HUGE, str(2**63), None],
    ("merged_into_id",): ["7", "true", "[]", "{}", None],
}
BAD_SCORE = ["null", '"0.5"', "true", "NaN", "Infinity", "1e400", HUGE, BEYOND_PYTHON, "[]", None]
BAD_NAMES = ["null", '"text"', "{}", "[7]", "[null]", "7", None]
BAD_REMEMBERED: dict[Path, list[str | None]] = {
    ("changed",): ["null", '"true"', '"no"', '""', "1", "0", "1.0", "[]", "{}", None],
    ("records",): ["null", "{}", '"x"', "7", "true", "[null]", "[[]]", '["x"]', "[{}]", None],
    **{("records", 0, *path): bad for path, bad in BAD_RECORD.items()},
}
BAD_LEGACY_REMEMBERED: dict[Path, list[str | None]] = {
    **{("memory", *path): bad for path, bad in BAD_MEMORY.items()},
    ("entry",): ["[]", f'["{CANARY}"]', "[{}]", '"x"', "7", "false", "{}", None],
    **{("entry", "citation", *path): bad for path, bad in BAD_CITATION.items()},
    ("entry", "version"): [*BAD_REVISION],
    ("entry", "kind"): [*BAD_KIND],
    ("entry", "text"): [*BAD_TEXT],
    ("entry", "state"): ['"deleted"', '"forgotten"', '"Active"', '""', "null", "7", None],
    ("entry", "source_refs"): ["null", "{}", '"x"', "7", "[NaN]", '["\\ud800"]', None],
    ("entry", "artifact_refs"): ["null", "{}", '"x"', "7", None],
}
BAD_SEARCH: dict[Path, list[str | None]] = {
    ("mode",): ["null", "7", "[]", None],
    ("hits",): ["null", "{}", '"x"', "7", "[null]", "[[]]", "[{}]", None],
    **{("hits", 0, "memory", *path): bad for path, bad in BAD_RECORD.items()},
    ("hits", 0, "memory"): [*NO_OBJECT, "null", None],
    ("hits", 0, "score"): [*BAD_SCORE],
    ("hits", 0, "matched_by"): [*BAD_NAMES],
}
BAD_LEGACY_SEARCH: dict[Path, list[str | None]] = {
    **{
        ("memory", *path): [raw for raw in bad if path or raw != "null"]
        for path, bad in BAD_MEMORY.items()
    },
    ("mode",): ["7", "[]", None],
    ("hits",): ["null", "{}", '"x"', "7", "[null]", "[[]]", "[{}]", None],
    **{("hits", 0, "citation", *path): bad for path, bad in BAD_CITATION.items()},
    ("hits", 0, "text"): [*BAD_TEXT],
    ("hits", 0, "score"): [*BAD_SCORE],
    ("hits", 0, "matched_by"): [*BAD_NAMES],
}
BAD = {
    "remembered": BAD_REMEMBERED,
    "legacy-remembered": BAD_LEGACY_REMEMBERED,
    "search": BAD_SEARCH,
    "legacy-search": BAD_LEGACY_SEARCH,
}


@each_case(
    ("kind", "path", "raw"),
    [
        pytest.param(kind, path, raw, id=f"{kind}-{'.'.join(map(str, path))}={str(raw)[:20]}")
        for kind, table in BAD.items()
        for path, values in table.items()
        for raw in values
    ],
)
def test_a_wrong_value_is_refused(kind: str, path: Path, raw: str | None) -> None:
    decode, valid = DECODERS[kind]
    assert refusal(decode, sent(valid, path, raw)) == "malformed"


GOOD: dict[str, dict[Path, list[str]]] = {
    "remembered": {
        ("changed",): ["false"],
        ("records",): ["[]", json.dumps([RECORD, RECORD])],
        ("records", 0, "artifact", "artifact_id"): ['"a"', '"' + "a" * 256 + '"', '"!~\\"{}"'],
        ("records", 0, "artifact", "revision"): ["2", str(2**63 - 1)],
        ("records", 0, "kind"): ['"note"', '"用户"', '"' + "k" * 128 + '"'],
        ("records", 0, "text"): ['""', '"\\u0000"', '"\\ud83d\\ude00"', '"' + "a" * 2**21 + '"'],
        ("records", 0, "state"): ['"forgotten"', '"merged"', '"retired"'],
        ("records", 0, "state_version"): ["1", str(2**63 - 1)],
        ("records", 0, "merged_into_id"): ['"art_2"'],
    },
    "legacy-remembered": {
        ("entry",): ["null"],
        ("entry", "state"): ['"inactive"'],
        ("entry", "version"): [str(2**63 - 1)],
        ("entry", "source_refs"): [f'[{{"any":["thing",{HUGE},null,0.5]}},7]'],
        ("entry", "artifact_refs"): [json.dumps([MEMORY])],
        ("entry", "citation", "entry_id"): ['"' + "e" * 256 + '"'],
    },
    "search": {
        ("mode",): ['"hybrid"'],
        ("hits",): ["[]"],
        ("hits", 0, "score"): ["0", "-1", "1e-9", "1E5"],
        ("hits", 0, "matched_by"): ["[]", '["text","vector"]'],
        ("hits", 0, "memory", "state"): ['"forgotten"'],
    },
    "legacy-search": {  # memory and mode are null in a Scope that holds no memory yet (real 1.2.0)
        ("memory",): ["null"],
        ("mode",): ["null"],
        ("hits",): ["[]"],
        ("hits", 0, "score"): ["1"],
        ("hits", 0, "matched_by"): ["[]"],
    },
}


@each_case(
    ("kind", "path", "raw"),
    [
        pytest.param(kind, path, raw, id=f"{kind}-{'.'.join(map(str, path))}={raw[:20]}")
        for kind, table in GOOD.items()
        for path, values in table.items()
        for raw in values
    ],
)
def test_an_unusual_value_is_accepted(kind: str, path: Path, raw: str) -> None:
    decode, valid = DECODERS[kind]
    body = sent(valid, path, raw)
    decoded = decode(body)
    answer = decoded[0] if isinstance(decoded, tuple) else decoded
    assert json.loads(msgspec.json.encode(answer)) == json.loads(body)
    assert not isinstance(decoded, tuple) or decoded[1] is False


@each_case("raw", ["null", "0", '"x"', "[]", "{}", HUGE, '{"records":[],"memory":1}'])
@each_case(
    ("kind", "path"), [(kind, path) for kind in BAD for path in objects_in(DECODERS[kind][1])]
)
def test_an_added_key_is_tolerated_and_flagged(kind: str, path: Path, raw: str) -> None:
    """A committed save must not turn into an error because a later server says more."""
    decode, valid = DECODERS[kind]
    plain, more = decode(sent(valid)), decode(sent(valid, (*path, "later"), raw))
    if isinstance(plain, tuple):
        assert more == (plain[0], True)
    else:
        assert more == plain


def test_an_added_key_in_the_second_record_is_flagged() -> None:
    answer = {"changed": True, "records": [RECORD, {**RECORD, "later": 1}]}
    assert decode_remembered(sent(answer))[1] is True


def test_what_the_api_leaves_open_is_not_unfamiliar() -> None:
    body = sent(LEGACY_REMEMBERED, ("entry", "source_refs"), '[{"any":{"thing":[{}]}}]')
    assert decode_remembered(body)[1] is False


@each_case(
    ("answer", "kind", "flagged"),
    [
        (REMEMBERED, Remembered, False),
        (LEGACY_REMEMBERED, LegacyRemembered, False),
        ({**REMEMBERED, **LEGACY_REMEMBERED}, Remembered, True),
        ({**LEGACY_REMEMBERED, **REMEMBERED}, Remembered, True),
        ({**REMEMBERED, "entry": None}, Remembered, True),
        ({**REMEMBERED, "memory": CANARY}, Remembered, True),
        ({**LEGACY_REMEMBERED, "changed": False}, None, None),
        ({**LEGACY_REMEMBERED, "records": []}, None, None),
        ({**LEGACY_REMEMBERED, "records": None}, None, None),
        ({**LEGACY_REMEMBERED, "records": [RECORD]}, None, None),
        ({"changed": True, "entry": ENTRY}, None, None),
        ({"changed": True, "memory": MEMORY}, None, None),
        ({"memory": MEMORY, "records": [RECORD]}, None, None),
        ({"changed": True, "records": [ENTRY]}, None, None),
        ({"memory": MEMORY, "entry": RECORD}, None, None),
        ({"memory": MEMORY, "entry": [ENTRY]}, None, None),
        ({"memory": RECORD["artifact"], "entry": None}, None, None),
        (SEARCH, None, None),
        (ERROR, None, None),
        ({"detail": "Not Found"}, None, None),
    ],
)
def test_generations_of_a_save(answer: object, kind: type | None, flagged: bool | None) -> None:
    if kind is None:
        assert refusal(decode_remembered, sent(answer)) == "malformed"
    else:
        decoded, more = decode_remembered(sent(answer))
        assert (type(decoded), more) == (kind, flagged)


@each_case(
    ("answer", "kind"),
    [
        (SEARCH, SearchAnswer),
        (LEGACY_SEARCH, LegacySearchAnswer),
        ({**LEGACY_SEARCH, "later": 1}, LegacySearchAnswer),
        ({**SEARCH, "hits": [LEGACY_HIT]}, None),
        ({**LEGACY_SEARCH, "hits": [HIT]}, None),
        ({**SEARCH, "hits": [HIT, LEGACY_HIT]}, None),
        ({**SEARCH, "memory": None}, None),
        (REMEMBERED, None),
        (LEGACY_REMEMBERED, None),
        (ERROR, None),
    ],
)
def test_generations_of_a_search(answer: object, kind: type | None) -> None:
    if kind is None:
        assert refusal(decode_search, sent(answer)) == "malformed"
    else:
        assert type(decode_search(sent(answer))) is kind


def test_of_equal_keys_in_a_save_the_last_counts_and_each_is_checked() -> None:
    body = sent(REMEMBERED).decode()
    twice = f'{body[:-1]},"changed":false}}'.encode()
    answer, flagged = decode_remembered(twice)
    assert isinstance(answer, Remembered)
    assert (answer.changed, flagged) == (False, False)
    for wrong in ("null", '"yes"', "1"):
        assert refusal(decode_remembered, f'{{"changed":{wrong},{body[1:]}'.encode()) == "malformed"


@each_case("depth", [100, 200, 300, 400, 500, 700, 900, 1000, 2000, 5000, 20_000])
@each_case(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_never_breaks_the_answer_to_a_save(opening: str, closing: str, depth: int) -> None:
    """``source_refs`` may hold anything. After a save a RecursionError would hide what became of it."""
    nested = f"[{opening * depth}1{closing * depth}]"
    body = sent(LEGACY_REMEMBERED, ("entry", "source_refs"), nested)
    try:
        answer, flagged = decode_remembered(body)
    except AnswerError:
        return
    assert isinstance(answer, LegacyRemembered)
    assert flagged is False


# --- properties


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_save_is_read_whole_or_flagged(data: st.DataObject) -> None:
    """Whatever a later server adds or changes: unflagged means that we understood every word."""
    base = data.draw(st.sampled_from([REMEMBERED, LEGACY_REMEMBERED]))
    path = data.draw(st.sampled_from([*paths_in(base), *((*at, "x") for at in objects_in(base))]))
    body = sent(base, path, json.dumps(data.draw(VALUES)))
    try:
        answer, flagged = decode_remembered(body)
    except AnswerError:
        return
    assert flagged is (json.loads(msgspec.json.encode(answer)) != json.loads(body))
