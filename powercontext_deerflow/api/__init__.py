# SPDX-License-Identifier: Apache-2.0
"""One operation of PowerContext, one exchange: typed requests out, strictly decoded answers in."""
