# SPDX-License-Identifier: Apache-2.0
"""What is known to be beyond this package, each with what shows it. The evidence page lists it as it is here."""

from __future__ import annotations

from typing import Final, NamedTuple


class KnownLimit(NamedTuple):
    claim: str
    """Which of the claims of the evidence page does not hold then."""
    beyond: str
    shown_by: str
    """A figure and how it was measured, or why nothing can be done about it here."""


KNOWN_LIMITS: Final = (
    KnownLimit(
        "what is saved again is still one memory",
        "a text that no word can find, or of one or two very common words, in a Scope of more than about 3,800"
        " memories of its kind",
        "in a Scope of 5,000 on a real 1.4.1, 30 % of five seconds read 38 to 49 pages of 100",
    ),
    KnownLimit(
        "what is saved again is still one memory",
        "two processes save the same text at the same moment",
        "the server has no idempotency key, and each looks before the other has saved",
    ),
    KnownLimit(
        "what is saved again is still one memory",
        "the look before a save fails, or needs more than its share (30 %) of the deadline",
        "a look-up never blocks a save; one page by page, for a text that no word finds, takes longest",
    ),
    KnownLimit(
        "a call ends by its deadline",
        "the process is stopped, or other code holds the interpreter's lock",
        "no code of ours runs meanwhile; the call ends when it runs again",
    ),
    KnownLimit(
        "each save by the tool is reported once",
        "the Gateway is killed, or a save needs more than eight seconds after SIGTERM",
        "a save that is cut off is reported as unknown; after SIGKILL nothing is reported",
    ),
    KnownLimit(
        "each save by the tool is reported once",
        "memory is disabled, and the host does not run services of extensions",
        "nobody tells the package that the process ends",
    ),
)
