#!/usr/bin/env python3
"""Films that broke other programs, one row a file: does `seesay caption` do the right thing with it?

Called by run_cases.sh. What is right is written down in the table below; what a film must look like afterwards is
compared with its source by ffprobe.
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEESAY = shlex.split(os.environ.get("SEESAY", ROOT + "/build/release/bin/seesay") + " caption")
PACKAGE = os.environ.get("PACKAGE", "default")
EXTRA = shlex.split(os.environ.get("EXTRA", ""))

# file: (exit code, frames of the output or None to compare with the source, extension of the output)
FILMS = {
    "c01_odd_577x325_h264_444.mp4": (0, 50, "mp4"),
    "c01_odd_641x361_mjpeg.avi": (0, 30, "mp4"),
    "c01_odd_853x479_rgb.mkv": (0, 5, "mkv"),
    "c01_odd_853x479_vp9.webm": (0, 50, "webm"),
    "c03_8k_7680x4320.mp4": (0, 6, "mp4"),
    "c03_panorama_8192x64.mkv": (0, 10, "mkv"),
    "c04_rot90.mp4": (0, 50, "mp4"),
    "c04_rot180.mp4": (0, 50, "mp4"),
    "c04_rot270.mp4": (0, 50, "mkv"),
    "c04_sar_64_45_pal.mpg": (0, 50, "mp4"),
    "c04_sar_rot90.mp4": (0, 25, "mp4"),
    "c05_vfr_30_to_5.mp4": (0, 90, "mp4"),
    "c05_vfr_gap.mkv": (0, 50, "mkv"),
    "c07_backward_pts.mkv": (0, 50, "mkv"),
    "c07_duplicate_pts.mkv": (0, 50, "mp4"),
    "c07_missing_pts.mkv": (0, 50, "mp4"),
    "c07_packed_bframes.avi": (0, 50, "mp4"),
    "c07_raw_bframes.h264": (0, 50, "mp4"),
    "c09_h264_422_10.mp4": (0, 25, "mp4"),
    "c09_h264_444_8.mp4": (0, 25, "mp4"),
    "c09_hevc_hdr_pq.mp4": (0, 25, "mp4"),
    "c09_hevc_hlg_12bit_444.mkv": (0, 25, "mkv"),
    "c09_prores_422hq.mov": (0, 25, "mp4"),
    "c12_gray16_ffv1.mkv": (0, 5, "mkv"),
    "c12_gray8_ffv1.mkv": (0, 25, "mp4"),
    "c12_gray8_h264.mp4": (0, 25, "mp4"),
    "c12_monob.nut": (0, 10, "mkv"),
    "c12_pal8.avi": (0, 10, "mp4"),
    "c13_alpha.apng": (0, 20, "mp4"),
    "c13_prores4444_alpha.mov": (0, 20, "mp4"),
    "c13_uneven_delays.gif": (0, 10, "mp4"),
    "c13_vp9_alpha.webm": (0, 20, "webm"),
    "c14_webcam_extraneous_bytes.mjpeg": ((0, 3), None, "mp4"),
    "c14_webcam_mjpeg_422.avi": (0, 60, "mp4"),
    "c16_cut.mkv": (3, None, "mkv"),
    "c16_faststart_cut.mp4": (3, None, "mp4"),
    "c16_fragmented_cut.mp4": (3, None, "mp4"),
    "c18_no_extension": (0, 25, "mp4"),
    "c18_really_mkv.mp4": (0, 25, "mp4"),
    "c20_3audio_2subs_chapters.mkv": (0, 75, "mkv"),
    "c20_51_audio_movtext.mp4": (0, 75, "mp4"),
    "c20_two_programs.ts": (0, 50, "mkv"),
    "c22_gop_600.mp4": (0, 600, "mp4"),
    "c22_intra_refresh_no_idr.h264": (0, 100, "mp4"),
    "c22_starts_mid_gop.ts": (0, 150, "mp4"),
    "c23_120fps.mp4": (0, 240, "mp4"),
    "c23_1fps.mp4": (0, 20, "mp4"),
    "c23_bogus_rate_90000.mkv": (0, 50, "mkv"),
    "c23_ntsc_2997_audio.mp4": (0, 600, "mp4"),
    "c23_timelapse_10s_per_frame.mkv": (0, 30, "mkv"),
    "c24_25_hours.mkv": (0, 3000, "mkv"),
    "c24_one_frame.mp4": (0, 1, "mp4"),
    "c24_two_frames.webm": (0, 2, "webm"),
    "c34_4k.mp4": (0, 10, "mp4"),
    "c34_black.mp4": (0, 30, "mp4"),
    "c34_checker_flash.mp4": (0, 30, "mp4"),
    "c34_portrait_360x640.mp4": (0, 30, "mp4"),
    "c34_white.mp4": (0, 30, "mp4"),
}
REPAIRED = ("c07_", "c14_webcam_extraneous", "c22_intra_refresh", "c22_starts")  # the source's times are of no use
ERRORS = {  # file: words of the message
    "c03_bomb_15000x15000.png": "pixels",
    "c13_anim.webp": "",
    "c16_no_moov.mp4": "",
    "c18_git_lfs_pointer.mp4": "LFS",
    "c18_html_404.mp4": "web page",
    "c18_random.mkv": "",
    "c18_zero_bytes.mp4": "empty",
    "c19_audio_only.mp4": "no video track",
    "c19_audio_only.ogg": "no video track",
    "c19_subs_only.mkv": "no video track",
    "c24_header_zero_frames.mkv": "",
}
PICTURES = ["c24_one_frame.jpg"]
INTERVALS = {"c24_25_hours.mkv": "600", "c23_timelapse_10s_per_frame.mkv": "10", "c03_8k_7680x4320.mp4": "1"}


def probe(path, *entries):
    out = subprocess.run(["ffprobe", "-v", "error", "-of", "json", *entries, path], capture_output=True, text=True)
    return json.loads(out.stdout or "{}")


def frame_times(path, track):
    """Presentation times of a track's packets, seconds, in order."""
    packets = probe(path, "-select_streams", track, "-show_entries", "packet=pts_time").get("packets", [])
    return sorted(float(p["pts_time"]) for p in packets if "pts_time" in p)


def frame_count(path):
    stream = probe(path, "-count_frames", "-select_streams", "v:0", "-show_entries", "stream=nb_read_frames")
    return int(stream["streams"][0]["nb_read_frames"])


def hashes(path):
    """Kind, language, default flag and content of every copied track."""
    result = []
    for s in probe(path, "-show_entries", "stream=index,codec_type,codec_name:stream_tags=language:stream_disposition=default")["streams"]:
        if s["codec_type"] in ("audio", "subtitle"):
            out = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-map", "0:%d" % s["index"], "-c", "copy", "-f", "data",
                                  "-"], capture_output=True).stdout
            result.append((s["codec_type"], s["codec_name"], s.get("tags", {}).get("language", "und"),
                           s["disposition"]["default"], hash(out)))
    return result


def caption(path, *arguments, limit=300):
    start = time.time()
    try:
        run = subprocess.run([*SEESAY, path, "--package", PACKAGE, *EXTRA, *arguments], capture_output=True, text=True,
                             timeout=limit)
        return run.returncode, run.stdout, run.stderr, time.time() - start
    except subprocess.TimeoutExpired:
        return 124, "", "still running after %d s" % limit, limit


def problems_of_film(name, path, folder):
    code, frames, extension = FILMS[name]
    codes = code if isinstance(code, tuple) else (code,)
    out, events, subtitles = (os.path.join(folder, "out." + e) for e in (extension, "jsonl", "srt"))
    got, _, err, _ = caption(path, "-o", out, "--jsonl", events, "--srt", subtitles, "--interval", INTERVALS.get(name, "1"))
    problems = []
    if got not in codes:
        return ["exit code %d: %s" % (got, err.strip()[-200:])]
    video = probe(out, "-select_streams", "v:0", "-show_streams")["streams"][0]
    count = frame_count(out)
    if frames is not None and count != frames:
        problems.append("%d frames" % count)
    if video["pix_fmt"] not in ("yuv420p", "yuvj420p"):
        problems.append(video["pix_fmt"])
    if video["width"] % 2 or video["height"] % 2:
        problems.append("odd size")
    if any("displaymatrix" in json.dumps(d) for d in video.get("side_data_list", [])):
        problems.append("a display matrix is left")
    times = frame_times(out, "v:0")
    if any(b <= a for a, b in zip(times, times[1:])):
        problems.append("times do not rise")
    if not name.startswith(REPAIRED):
        source = frame_times(path, "v:0")
        shift = source[0] - times[0] if name.endswith((".ts", ".mpg")) else 0.0
        worst = max((min(abs(t + shift - s) for s in source) for t in times), default=0.0)
        if (codes == (0,) and len(source) != len(times)) or worst > 0.00101:
            problems.append("times differ by %.4f s" % worst)
    if codes == (0,) and not name.startswith(REPAIRED):
        lengths = [probe(f, "-show_format")["format"].get("duration") for f in (path, out)]
        # A last frame of no stated length is given one; Matroska counts the delay of audio codecs.
        if None not in lengths and not -0.00101 < float(lengths[1]) - float(lengths[0]) < 0.11:
            problems.append("%s s long instead of %s" % (lengths[1], lengths[0]))
    with open(events) as lines:
        seen = [json.loads(line) for line in lines]
    if not seen or not seen[-1]["segment"]["final"]:
        problems.append("last event is not final")
    for event in seen:
        if min(abs(event["pts_ns"] * 1e-9 - t) for t in times) > 0.00101:
            problems.append("event at %.3f s fits no frame" % (event["pts_ns"] * 1e-9))
            break
    if not all(e["segment"]["end_ns"] > e["segment"]["start_ns"] for e in seen):
        problems.append("empty segment")
    if os.path.getsize(subtitles) == 0:
        problems.append("no subtitles")
    if name.startswith("c20"):
        ours = [h for h in hashes(out)]
        missing = [h[:4] for h in hashes(path) if h not in ours]
        if missing:
            problems.append("tracks changed: %s" % missing)
    left = [f for f in os.listdir(folder) if ".part" in f]
    return problems + (["left over: %s" % left] if left else [])


def problems_of_error(name, path, folder):
    out = os.path.join(folder, "out.png" if name.endswith(".png") else "out.mp4")
    got, _, err, seconds = caption(path, "-o", out, limit=20)
    problems = []
    if got != 1:
        problems.append("exit code %d" % got)
    lines = [line for line in err.splitlines() if line]
    if len(lines) != 1 or ERRORS[name] not in err or os.path.basename(path) not in err:
        problems.append("message: %s" % err.strip()[:200])
    if seconds > float(os.environ.get("ERROR_SECONDS", "2")):
        problems.append("took %.1f s" % seconds)
    if os.listdir(folder):
        problems.append("left over: %s" % os.listdir(folder))
    return problems


def problems_of_picture(_, path, folder):
    out = os.path.join(folder, "figure.png")
    got, text, err, _ = caption(path, "-o", out)
    if got != 0:
        return ["exit code %d: %s" % (got, err.strip()[-200:])]
    return ([] if text.strip() else ["no caption printed"]) + ([] if os.path.getsize(out) else ["no figure"])


def script_rows(folder, wanted):
    scripts = {"c26": "c26_input_is_output.sh", "c27": "c27_output_trouble.sh"}
    for case, script in scripts.items():
        path = os.path.join(folder, "scripts", script)
        if (not wanted or case in wanted) and os.path.exists(path):
            app = " ".join([*SEESAY, "{in}", "--package", PACKAGE, "--force", "-o", "{out}"])
            run = subprocess.run(["bash", path], capture_output=True, text=True, env={**os.environ, "APP": app})
            for line in run.stdout.splitlines():
                if line.startswith(("PASS", "FAIL")):
                    yield case + " " + line[5:], [] if line.startswith("PASS") else ["see the script"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__ + "\nusage: tools/run_cases.sh FOLDER [CASE...]")
    folder, wanted = sys.argv[1], sys.argv[2:]
    failures = 0
    rows = [(n, problems_of_film) for n in FILMS] + [(n, problems_of_error) for n in ERRORS] + \
           [(n, problems_of_picture) for n in PICTURES]

    def tell(name, problems):
        print("%-4s %-42s %s" % ("FAIL" if problems else "PASS", name, "; ".join(problems)), flush=True)
        return 1 if problems else 0

    for name, judge in sorted(rows, key=lambda row: row[0]):
        path = os.path.join(folder, "open", name)
        if not os.path.exists(path) or (wanted and not name.startswith(tuple(wanted))):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            failures += tell(name, judge(name, path, scratch))
    for name, problems in script_rows(folder, wanted):
        failures += tell(name, problems)
    print("%d failed" % failures)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
