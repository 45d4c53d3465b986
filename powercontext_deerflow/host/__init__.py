# SPDX-License-Identifier: Apache-2.0
"""DeerFlow's two contracts, memory manager and plugin, and what they share in one Gateway process."""
