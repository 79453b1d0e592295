#!/usr/bin/env bash
# Trains the shipped captioner `default` again, on the frozen encoder `encoder-lite2`.
#
#   tools/train_default.sh FLICKR8K [OUTPUT]
#
# FLICKR8K holds images/, captions.tsv (image, tab, caption), train.txt and dev.txt; OUTPUT is the package to write
# (default: training/default). A run that was stopped goes on where it was. Two cores need about an hour.
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
fi
data=$1
output=${2:-training/default}
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$(dirname "$output")"
# Spinning OpenMP threads would fight with whatever else runs; libgomp reads this when it is loaded.
OMP_WAIT_POLICY=passive exec "${SEESAY:-$here/build/release/bin/seesay}" train \
    --images "$data/images" --captions "$data/captions.tsv" \
    --train-list "$data/train.txt" --evaluation-list "$data/dev.txt" --held-out 300 \
    --encoder encoder-lite2 --views 3 --epochs 8 --warm-up 150 \
    --data-name "Flickr8k (Hodosh, Young and Hockenmaier 2013), all pictures squeezed to 224×224; dev split of 1,000 for evaluation" \
    --data-terms "the photographers' rights; research and non-commercial use" \
    --recipe "tools/train_default.sh FLICKR8K" \
    --output "$output" --cache "$(dirname "$output")/cache" --force
