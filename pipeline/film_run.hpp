// FilmRun: one film or stream through one pipeline, with its outputs.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "elements/source/film_input.hpp"
#include "elements/source/film_reader.hpp"
#include "pipeline/caption_job.hpp"
#include "pipeline/film_writer.hpp"
#include "pipeline/text_outputs.hpp"

namespace seesay::pipeline {

class FilmRun {
 public:
    /// `input`: the opened film, or null for a stream that GStreamer plays. `stream`: the stream's
    /// name. References must outlive the run. Opens the outputs and builds the pipeline; throws
    /// like `run`.
    FilmRun(const CaptionJob& job, const CaptionCallbacks& callbacks, const std::atomic<bool>& stop,
            const std::string& stream, std::unique_ptr<elements::FilmInput> input);
    FilmRun(const FilmRun&) = delete;
    FilmRun& operator=(const FilmRun&) = delete;
    ~FilmRun();

    CaptionJobResult run();

 private:
    void plan_outputs();
    void build();
    void build_sink(GstElement* last);
    [[nodiscard]] bool burns() const { return writer_ != nullptr && job_.burn; }
    void probe_source(GstElement* source);
    void probe_middle(GstElement* middle);

    static GstPadProbeReturn on_source_buffer(GstPad* pad, GstPadProbeInfo* info, gpointer self);
    static GstPadProbeReturn on_middle(GstPad* pad, GstPadProbeInfo* info, gpointer self);
    static GstFlowReturn on_sample(GstElement* sink, gpointer self);
    void captioned(GstBuffer* buffer);
    void updated(const elements::CaptionUpdate& update);
    void encoded(GstSample* sample);
    std::int64_t take_duration(std::int64_t time_ns, std::int64_t decode_time_ns);

    [[noreturn]] void fail_to_start();
    void wait_for_end();
    bool handle(GstMessage* message);
    [[nodiscard]] std::string describe_error(GstMessage* message) const;
    void ask_to_stop();
    void report_progress(bool at_end);
    void fail(std::exception_ptr error);
    void finish();
    void judge(const elements::FilmReport& report);
    void notice(const std::string& text) const;
    void incomplete(const std::string& text);

    const CaptionJob& job_;
    const CaptionCallbacks& callbacks_;
    const std::atomic<bool>& stop_;
    std::string stream_;
    std::unique_ptr<elements::FilmInput> input_;  ///< until the source takes it
    bool finite_ = true;
    bool readable_twice_ = true;
    bool tagged_ = true;
    double frame_rate_ = 25.0;
    std::int64_t pixels_ = 0;
    std::int64_t duration_ns_ = -1;
    std::int64_t promised_ns_ = -1;  ///< the duration in the container's header
    std::int64_t slack_ns_ = 0;      ///< that such a promise may be off by
    std::string missing_;            ///< what the container promises and the file lacks
    std::unique_ptr<FilmWriter> writer_;
    std::unique_ptr<TextOutputs> texts_;
    GstElement* pipeline_ = nullptr;
    GstElement* source_ = nullptr;  // owned by the pipeline

    std::atomic<bool> cut_{false};  ///< the source's output is cut off: the end was asked for
    std::atomic<bool> failed_{false};
    bool end_sent_ = false;
    std::mutex mutex_;  ///< of what follows
    std::exception_ptr error_;
    CueCollector cues_;
    CaptionProgress progress_;
    std::uint64_t captions_ = 0;
    std::int64_t end_ns_ = 0;
    std::map<std::int64_t, std::int64_t> encoding_;  ///< frames in the encoder: time, duration
    std::uint64_t last_segment_ = 0;
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point reported_;
    CaptionJobResult result_;
};

}  // namespace seesay::pipeline
