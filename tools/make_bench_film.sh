#!/usr/bin/env bash
# Makes the film of `seesay bench`: 60 s of 1280×720 at 25 fps, H.264, natural pictures from a Debian package, panned.
#
#   tools/make_bench_film.sh OUT.mp4
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 2; }
out=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -o APT::Sandbox::User=root download -qq lomiri-wallpapers-16.04
dpkg-deb -x lomiri-wallpapers-16.04_*.deb pictures
mapfile -t pictures < <(find pictures/usr/share/backgrounds -name '*.jpg' | LC_ALL=C sort | head -12)
[ ${#pictures[@]} -gt 0 ] || { echo "the package lomiri-wallpapers-16.04 has no pictures" >&2; exit 1; }
seconds=$((60 / ${#pictures[@]}))
[ $((seconds * ${#pictures[@]})) -eq 60 ] || { pictures=("${pictures[@]:0:10}"); seconds=6; }
for i in "${!pictures[@]}"; do
    # From the top left to the bottom right of a picture that is half as large again as the frame.
    ffmpeg -nostdin -v error -y -loop 1 -framerate 25 -t "$seconds" -i "${pictures[$i]}" \
        -vf "scale=1920:1080:force_original_aspect_ratio=increase,crop=1280:720:x='(iw-1280)*t/$seconds':y='(ih-720)*t/$seconds',format=yuv420p" \
        -c:v libx264 -preset veryfast -crf 18 -g 50 "$folder/part-$i.mp4"
    echo "file part-$i.mp4" >>list.txt
done
mkdir -p "$(dirname "$out")"
ffmpeg -nostdin -v error -y -f concat -i list.txt -c copy "$out"
echo "$out"
