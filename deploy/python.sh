#!/bin/bash
# python.sh: builds the wheel of clients/python from proto/, installs it with the type checker into a virtual environment, checks the types,
# and prints the environment's folder, which is kept in the user's cache until the sources change.
#
#   deploy/python.sh                       prints the folder; FOLDER/wheel has the wheel
#   "$(deploy/python.sh)"/bin/python       a Python with the package jhyde
#
# Exit code 3: something is missing, and the message names its Debian package.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/jhyde/python

failed() { printf 'python.sh: %s\n' "$*" >&2; exit 1; }
missing() { printf 'python.sh: %s\n' "$*" >&2; exit 3; }
command -v python3 >/dev/null || missing "there is no python3: apt-get install python3 python3-venv"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || missing "$(python3 --version) is too old: the wheel needs 3.11 or newer"
python3 -c 'import venv, ensurepip' 2>/dev/null || missing "python3 cannot make virtual environments: apt-get install python3-venv"

cd "$root"
# -L: the client's licences are links, and what they lead to is packed.
sources() { find -L clients/python/LICENSE-* clients/python/{pyproject.toml,constraints.txt,hatch_build.py,README.md,src} proto/jhyde deploy/python.sh -type f -not -path '*/__pycache__/*' -print0 | sort -z; }
stamp=$( (python3 --version; sources | xargs -0 sha256sum) | sha256sum | cut -c1-16)
made=$cache/$stamp

mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9 # two tests at once: the second waits, then finds all done
if [ ! -f "$made/.complete" ]; then
  # Those of other sources, unless a checkout that has them used them today.
  find "$cache" -mindepth 1 -maxdepth 1 -type d -not -newermt '1 day ago' -exec rm -rf {} +
  rm -rf "$made"
  pip() { "$made/bin/pip" --disable-pip-version-check --quiet "$@" >&2 </dev/null || failed "pip could not build or install the wheel: is this machine allowed to reach a package index?"; }
  # Also of what builds: pip reads the one (from 25.3 on the other) in the environment that it makes for that.
  export PIP_CONSTRAINT=$root/clients/python/constraints.txt PIP_BUILD_CONSTRAINT=$root/clients/python/constraints.txt
  python3 -m venv "$made" >&2 || missing "python3 cannot make virtual environments: apt-get install python3-venv"
  pip wheel --no-deps --wheel-dir "$made/wheel" ./clients/python
  wheel=("$made"/wheel/jhyde-*.whl)
  # pyarrow reads what Recording.sql_arrow gives: somebody else's reader.
  pip install "${wheel[0]}[types]" mypy pyarrow
  "$made/bin/mypy" --strict --no-error-summary --cache-dir "$made/.mypy" -p jhyde >&2 || failed "the types of clients/python/src do not fit"
  touch "$made/.complete"
fi
touch "$made"
printf '%s\n' "$made"
