"""Runs the binary that came with this package: ``python -m isadiff``."""

import os
import subprocess
import sys
import sysconfig


def find():
    """Returns the path of the binary in the environment that holds this package, or None."""
    name = "isadiff" + (".exe" if os.name == "nt" else "")
    folders = [sysconfig.get_path("scripts")]
    folders.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))  # pip install --user
    target = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders.append(os.path.join(target, "bin"))  # pip install --target
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    return None


def main():
    binary = find()
    if binary is None:
        print("error: the isadiff binary of this package is gone; install the package again", file=sys.stderr)
        return 2
    if os.name == "nt":  # exec on Windows would end the parent before the child
        return subprocess.run([binary, *sys.argv[1:]]).returncode
    os.execv(binary, [binary, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
