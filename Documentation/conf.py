# SPDX-License-Identifier: MIT
"""Sphinx configuration. The kernel's kernel-doc extension reads the headers."""

import os
import re
import sys

top = os.path.abspath("..")
cache = os.environ.get("VSM_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "vsm")
source = os.path.join(cache, "source")
sys.path.insert(0, os.path.join(source, "Documentation", "sphinx"))

with open(os.path.join(top, "userlib", "vsm.h"), encoding="utf-8") as f:
    release = version = re.search(r'#define VSM_VERSION "(.*)"', f.read())[1]

project = "vsm"
author = "the vsm authors"
copyright = "the vsm authors"
extensions = ["kerneldoc"]
kerneldoc_bin = os.path.join(source, "scripts", "kernel-doc")
kerneldoc_srctree = top

exclude_patterns = ["_build"]
primary_domain = "c"
highlight_language = "none"
smartquotes = False

html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_theme = "alabaster"
html_theme_options = {
    "description": "an accelerator without hardware",
    "fixed_sidebar": True,
    "page_width": "80em",
    "body_max_width": "64em",
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_copy_source = False
html_show_copyright = False
