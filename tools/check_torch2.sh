#!/usr/bin/env bash
# Builds models, commands and tests that need no GStreamer against LibTorch 2.x, and runs the tests on the CPU.
#
#   tools/check_torch2.sh [--without-onednn] [TARGET…]
#
#   --without-onednn   encoders through TorchScript, as where Debian's libdnnl-dev is absent
#   TARGET…            build these and run no tests (default: all, then the tests)
#
# LibTorch is PyPI's torch in a virtual environment under build/torch2: a download of about 3 GB (CUDA libraries with it)
# that fills 6 GB of disk, once. CMake looks for CUDA because that LibTorch names it; the toolkit is found as CMake finds
# it: CUDACXX, else CUDA_HOME, else PATH, else /usr/local/cuda. No GPU is needed. PYTHON names another interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
onednn=()
folder=build/cuda
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    --without-onednn) onednn=(-DSEESAY_WITH_ONEDNN=OFF); folder=build/cuda-without-onednn; shift ;;
    -*) echo "tools/check_torch2.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
    *) break ;;
    esac
done

environment=build/torch2/venv
find_torch() { # version and CMake folder
    "$environment/bin/python" -W ignore -c 'import torch; print(torch.__version__, torch.utils.cmake_prefix_path)'
}
if ! torch=$(find_torch 2>/dev/null); then
    echo "== LibTorch from PyPI"
    rm -rf "$environment"
    "${PYTHON:-python3}" -m venv "$environment" ||
        { echo "tools/check_torch2.sh: no virtual environment; apt-get install python3-venv" >&2; exit 1; }
    "$environment/bin/pip" install --quiet 'torch>=2'
    torch=$(find_torch)
fi
echo "== LibTorch ${torch%% *}"

if [ -z "${CUDACXX:-}" ]; then
    for nvcc in "${CUDA_HOME:-/nowhere}/bin/nvcc" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
        [ ! -x "$nvcc" ] || { export CUDACXX=$nvcc; break; }
    done
fi
[ -n "${CUDACXX:-}" ] || { echo "tools/check_torch2.sh: no nvcc; set CUDA_HOME to the CUDA toolkit's folder" >&2; exit 1; }

export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset cuda -B "$folder" -DCMAKE_PREFIX_PATH="${torch#* }" -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 "${onednn[@]}" >build-cuda.log 2>&1 ||
    { tail -40 build-cuda.log; exit 1; }
rm -f build-cuda.log
if [ $# -gt 0 ]; then
    cmake --build "$folder" -j2 --target "$@"
    exit
fi
cmake --build "$folder" -j2
ctest --test-dir "$folder" -j2 --timeout 300 --output-on-failure
