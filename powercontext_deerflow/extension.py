# SPDX-License-Identifier: Apache-2.0
"""DeerFlow's plugin by its module; ``plugins[].use`` names it as ``powercontext_deerflow:install``."""

from powercontext_deerflow.host.tools import install

__all__ = ["install"]
