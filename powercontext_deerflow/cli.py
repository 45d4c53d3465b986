# SPDX-License-Identifier: Apache-2.0
"""The command ``powercontext-deerflow``, and what it prints of what to configure."""

from powercontext_deerflow.doctor.command import BLOCKS, main

__all__ = ["BLOCKS", "main"]
