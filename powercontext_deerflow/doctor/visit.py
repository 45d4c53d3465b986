# SPDX-License-Identifier: Apache-2.0
"""What the doctor's checks share: the bound client, and the time that is left for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from powercontext_deerflow.client import PowerContext
from powercontext_deerflow.deadline import Deadline
from powercontext_deerflow.settings import Settings
from powercontext_deerflow.transport import Engine


@dataclass(slots=True)
class Visit:
    """One examination: production's own client, and an engine for what only a doctor asks."""

    settings: Settings
    client: PowerContext
    engine: Engine
    overall: Deadline
    before_130: bool = False

    def within(self, seconds: float) -> Deadline:
        return Deadline.after(min(seconds, self.overall.remaining()))

    @property
    def recall_deadline(self) -> Deadline:
        return self.within(self.settings.recall_timeout_seconds)
