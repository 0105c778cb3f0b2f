#!/bin/sh
# Installs what package-lock.json names, unless that is there already.
set -eu

stamp=node_modules/.installed
if ! [ -f "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
    echo "Installing the dashboard's packages ..."
    npm ci --loglevel=error
    touch "$stamp"
fi
