#!/usr/bin/env bash
# Installs, builds and runs every test.
#
#   tools/check.sh [PRESET…]     presets of CMakePresets.json: release (default), asan, debug
#
# With nothing changed, set-up and build take seconds; the tests always run.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install.sh
# Objects in ccache serve every clone, not only the folder that they were compiled in.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
[ $# -gt 0 ] || set -- release
for preset in "$@"; do
    echo "== $preset: build"
    cmake --preset "$preset" >"build-$preset.log" 2>&1 || { tail -40 "build-$preset.log"; exit 1; }
    rm -f "build-$preset.log"
    cmake --build --preset "$preset" -j2
    echo "== $preset: tests"
    ctest --preset "$preset" -j2 --timeout 300
done
