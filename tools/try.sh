#!/usr/bin/env bash
# Sets everything up on Debian 12 and captions a film: from nothing to a picture with captions in one command.
#
#   tools/try.sh [INPUT]     a film, a picture or a URI; without one, a clip of a diver from a small Debian package
#
# Results are in results/. With nothing changed, set-up and build take seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
input=${1:-}
if [ -n "$input" ] && [ -e "$input" ]; then
    input=$(realpath "$input")
fi
cd "$here"
tools/install.sh
# Objects in ccache serve every clone, not only the folder that they were compiled in.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset release >build-try.log 2>&1 || { tail -40 build-try.log; exit 1; }
rm -f build-try.log
cmake --build --preset release -j2 --target seesay gstseesay

mkdir -p results
if [ -z "$input" ]; then
    # pd-extendedview: a film of 14 s, Motion JPEG 640x480, someone under water.
    if [ ! -e results/diver.mov ]; then
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        echo "fetching a clip from the Debian package pd-extendedview (6 MB)"
        (cd "$folder" && apt-get -o APT::Sandbox::User=root download -qq pd-extendedview && dpkg-deb -x pd-extendedview_*.deb .)
        cp "$folder"/usr/share/doc/pd-extendedview/media/diver.mov results/
    fi
    input=results/diver.mov
fi

name=$(basename "${input%%\?*}")
name=${name%.*}
seesay=build/release/bin/seesay
case "${input,,}" in
    *.jpg | *.jpeg | *.png | *.webp | *.bmp | *.tif | *.tiff)
        "$seesay" caption "$input" -o "results/$name-figure.png" --jsonl "results/$name.jsonl" --force
        echo
        echo "figure, one panel a word:      results/$name-figure.png"
        ;;
    *)
        "$seesay" caption "$input" -o "results/$name-captioned.mp4" --jsonl "results/$name.jsonl" --vtt "results/$name.vtt" --force
        echo
        echo "film with caption and attention: results/$name-captioned.mp4"
        echo "subtitles:                       results/$name.vtt"
        ;;
esac
echo "captions with attention as data: results/$name.jsonl"
