# SPDX-License-Identifier: Apache-2.0
"""What ``memory.manager_class`` of a DeerFlow ``config.yaml`` names."""

from powercontext_deerflow.host.manager import PowerContextMemoryManager

__all__ = ["PowerContextMemoryManager"]
