#!/bin/bash
# Runs `seesay caption` over a folder of hard films and pictures and prints a table of PASS and FAIL.
#   tools/run_cases.sh FOLDER [CASE...]      FOLDER holds open/ (files named c01_…, c04_…) and scripts/; CASE: c01, c16, …
#   SEESAY=build/release/bin/seesay  PACKAGE=default  EXTRA="--attention none"   may be set in the environment.
exec python3 "$(dirname "$0")/run_cases.py" "$@"
