#!/usr/bin/env bash
# Builds the plain classes that hold the concurrency, with their tests, under ThreadSanitizer and runs them.
#
#   tools/check_tsan.sh [REPEATS]     how often each program runs (default 1)
#
# GLib's locks and LibTorch's OpenMP are invisible to ThreadSanitizer: a correct program reports races. So the queues,
# threads and registries are plain classes with std::mutex, and here they run with fake models. Elements and networks run
# under AddressSanitizer (tools/check.sh asan).
set -euo pipefail
cd "$(dirname "$0")/.."
repeats=${1:-1}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# program:filter. What each one covers stands behind it.
programs=(
    "worker_test:*"                                     # runtime::Worker: queue, batches, closing from anywhere
    "features_sampling_test:InferenceLane*:LateGate*:LatencyReport*" # requests to sessions, flushes, QoS reports
    "caption_keeping_test:TextQueue*"                   # what waits for the text pad's thread
    "publish_endpoint_test:*"                           # SendQueue, LastValues, Endpoint, EndpointRegistry, Publisher
    "publish_event_json_test:EventReader*"              # the receiving side
)

# ThreadSanitizer cannot place its shadow where the kernel spreads addresses widely; programs run with fixed ones.
fixed=(setarch "$(uname -m)" -R)
cmake --preset tsan >build-tsan.log 2>&1 || { tail -40 build-tsan.log; exit 1; }
rm -f build-tsan.log
"${fixed[@]}" cmake --build --preset tsan -j2 --target "${programs[@]%%:*}"
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
for entry in "${programs[@]}"; do
    echo "== ${entry%%:*}"
    "${fixed[@]}" "build/tsan/tests/${entry%%:*}" --gtest_filter="${entry#*:}" --gtest_repeat="$repeats" --gtest_brief=1
done
echo "ThreadSanitizer: nothing found"
