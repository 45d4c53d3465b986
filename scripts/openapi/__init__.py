# SPDX-License-Identifier: Apache-2.0
"""PowerContext's OpenAPI document: which one is pinned, the slice of it that is kept, and what a new one changes."""
