# SPDX-License-Identifier: Apache-2.0
"""`make quality`: what recall finds on a real server, literally and with the second look, written to the docs."""
