#!/bin/bash
# Builds and runs the fuzzers of the file readers (clang++, libFuzzer, ASan and UBSan).
#   tools/fuzz.sh [SECONDS] [READER...]      default: 300 seconds for each of checkpoint manifest safetensors vocabulary
# New inputs go to build/fuzz/<reader>; a finding stops with its input in build/fuzz/findings. Keep such an input in
# tests/fuzz/corpus/<reader>: the test fuzz_corpus_test runs all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-300}
shift || true
readers=("$@")
[ ${#readers[@]} -gt 0 ] || readers=(checkpoint manifest safetensors vocabulary)
command -v clang++ >/dev/null || { echo "tools/fuzz.sh: clang++ is missing; apt-get install clang libclang-rt-14-dev" >&2; exit 1; }

out=build/fuzz
mkdir -p "$out/objects" "$out/findings"
sources=(models/weights/{checkpoint,checkpoint_storages,checkpoint_tensors,finite,foreign_file,json_fields,mapped_file,named_tensor,package_manifest,pickle,pickle_calls,pickle_input,pickle_stack,printable,safetensors,sha256,storage,strict_json,tensor_builder,zip_archive}.cpp
    models/language/{vocabulary,tokenizer}.cpp tests/fuzz/readers.cpp)
# The macro is the usual one: readers skip checksums in such builds, which no mutation would get past.
flags=(-std=c++20 -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -I.)
objects=()
for source in "${sources[@]}"; do
    object=$out/objects/$(echo "${source%.cpp}" | tr / _).o
    if [ ! -e "$object" ] || [ -n "$(find models/weights/*.hpp models/language/{vocabulary,tokenizer}.hpp models/error.hpp tests/fuzz/*.hpp "$source" -newer "$object" -print -quit)" ]; then
        clang++ "${flags[@]}" -fsanitize=fuzzer-no-link,address,undefined -c "$source" -o "$object"
    fi
    objects+=("$object")
done
for reader in "${readers[@]}"; do
    program=$out/$reader-fuzzer
    clang++ "${flags[@]}" -fsanitize=fuzzer,address,undefined -DSEESAY_FUZZ_READER="\"$reader\"" tests/fuzz/fuzz_target.cpp \
        "${objects[@]}" -lcrypto -lz -lutf8proc -o "$program"
    mkdir -p "$out/$reader"
    seeds=("tests/fuzz/corpus/$reader")
    [ "$reader" != checkpoint ] || seeds+=(tests/weights/checkpoints)
    echo "== $reader: $seconds s"
    "$program" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=3000 -malloc_limit_mb=2500 \
        -artifact_prefix="$out/findings/$reader-" -print_final_stats=1 "$out/$reader" "${seeds[@]}"
done
echo "no findings"
