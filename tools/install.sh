#!/usr/bin/env bash
# Installs what tools/apt-packages.txt lists, and the locale that the tests use. Seconds when all is there already.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mapfile -t wanted < <(sed 's/#.*//' "$here/apt-packages.txt" | tr -s ' \t' '\n' | grep .)

missing=()
for package in "${wanted[@]}"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
as_root=()
if [ "$(id -u)" != 0 ]; then
    as_root=(sudo)
fi
if [ ${#missing[@]} -gt 0 ]; then
    echo "installing: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
# Numbers must not change in a locale with a decimal comma; the tests need one to prove it.
if ! locale -a 2>/dev/null | grep -qi '^de_DE\.utf-\?8$'; then
    "${as_root[@]}" localedef -i de_DE -f UTF-8 de_DE.UTF-8 || echo "the locale de_DE.UTF-8 could not be made; its tests are skipped"
fi
