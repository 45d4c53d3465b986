# SPDX-License-Identifier: Apache-2.0
"""The rules of recall, of saving and of the memories of a Scope, each written once, as coroutines over IO."""
