# SPDX-License-Identifier: MIT
"""The tests of the plugin run pytest in a process of its own."""

pytest_plugins = ["pytester"]
