# SPDX-License-Identifier: Apache-2.0
"""The version of this package; pyproject.toml reads it from here."""

VERSION = "0.1.0"
