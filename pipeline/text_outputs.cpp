// See the header.
#include "pipeline/text_outputs.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "models/error.hpp"

namespace seesay::pipeline {

TextOutputs::TextOutputs(const TextTargets& targets)
    : jsonl_(open(targets.jsonl)), vtt_(open(targets.vtt)), srt_(open(targets.srt)) {
}

TextOutputs::Target TextOutputs::open(const std::string& name) {
    Target target;
    target.wanted = !name.empty();
    if (target.wanted && name != "-") target.file = std::make_unique<weights::OutputFile>(name);
    return target;
}

void TextOutputs::write(Target& target, const std::string& text) {
    if (!target.wanted) {
        return;
    }
    if (target.file) {
        target.file->write(text);
        return;
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
        throw Error("standard output cannot be written: " + std::generic_category().message(errno));
    }
}

void TextOutputs::write_event(const std::string& line) {
    const std::lock_guard lock(mutex_);
    write(jsonl_, line + '\n');
}

void TextOutputs::finish(const std::vector<Cue>& cues) {
    const std::lock_guard lock(mutex_);
    if (vtt_.wanted) write(vtt_, to_webvtt(cues));
    if (srt_.wanted) write(srt_, to_subrip(cues));
    for (Target* target : {&jsonl_, &vtt_, &srt_}) {
        if (target->file) target->file->commit();
    }
}

}  // namespace seesay::pipeline
