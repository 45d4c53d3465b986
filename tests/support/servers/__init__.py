# SPDX-License-Identifier: Apache-2.0
"""The servers that tests and the demo run against; all of them listen on loopback only.

``real``     a PowerContext server of any release, as its own process
``proxy``    a recording proxy that puts faults around a real server
``hostile``  servers that break HTTP in one named way each
``network``  faults below HTTP: names, TCP, TLS
"""
