# SPDX-License-Identifier: Apache-2.0
"""The benchmark: everyone who can ask PowerContext side by side, in one run (`make bench`, `make bench-quick`)."""
