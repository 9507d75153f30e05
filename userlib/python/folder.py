# SPDX-License-Identifier: MIT
"""Prints the folder below a prefix in which python3 looks for packages: folder.py PREFIX"""

import site
import sys

prefix = sys.argv[1].rstrip("/")
default = f"{prefix}/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
print(next((folder for folder in site.getsitepackages()
            if folder.startswith(prefix + "/lib/python")), default))
