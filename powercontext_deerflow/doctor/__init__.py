# SPDX-License-Identifier: Apache-2.0
"""What an operator asks: does it work, and if not, why; is a config.yaml right; what is there to configure."""
