// FilmRun's pipeline and outputs, put together before anything runs.
#include <algorithm>
#include <utility>

#include "elements/source/film_reader.hpp"
#include "elements/source/seesaysource.hpp"
#include "elements/static_plugin.hpp"
#include "pipeline/caption_elements.hpp"
#include "pipeline/container_boxes.hpp"
#include "pipeline/encoder.hpp"
#include "pipeline/film_run.hpp"

namespace seesay::pipeline {
namespace {

GstElement* add(GstElement* pipeline, const char* factory) {
    GstElement* element = gst_element_factory_make(factory, nullptr);
    if (element == nullptr) {
        throw Error(std::string("the GStreamer element ") + factory +
                    " is missing; install the base and good plugins");
    }
    gst_bin_add(GST_BIN(pipeline), element);
    return element;
}

// A few frames, so that decoding, captioning and encoding each have work while another waits.
GstElement* add_queue(GstElement* pipeline, std::int64_t pixels) {
    GstElement* queue = add(pipeline, "queue");
    g_object_set(queue, "max-size-buffers", pixels > elements::kHugePicture ? 2U : 6U,
                 "max-size-bytes", 0U, "max-size-time", guint64{0}, nullptr);
    return queue;
}

bool has_colour_tags(const AVCodecParameters& parameters) {
    const AVPixFmtDescriptor* format =
        av_pix_fmt_desc_get(static_cast<AVPixelFormat>(parameters.format));
    const bool rgb =
        format != nullptr && (format->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
    return rgb || parameters.color_range == AVCOL_RANGE_JPEG ||
           parameters.color_space != AVCOL_SPC_UNSPECIFIED ||
           parameters.color_primaries != AVCOL_PRI_UNSPECIFIED ||
           parameters.color_trc != AVCOL_TRC_UNSPECIFIED;
}

std::string vtt_beside(const std::string& output) {
    return std::filesystem::path(output).replace_extension(".vtt").string();
}

}  // namespace

void FilmRun::plan_outputs() {
    TextTargets texts{job_.jsonl, job_.vtt, job_.srt};
    if (input_ != nullptr) {
        const AVStream& video = input_->video();
        tagged_ = has_colour_tags(*video.codecpar);
        frame_rate_ = video.avg_frame_rate.num > 0 && video.avg_frame_rate.den > 0
                          ? av_q2d(video.avg_frame_rate)
                          : 0.0;
        pixels_ = static_cast<std::int64_t>(video.codecpar->width) * video.codecpar->height;
        duration_ns_ = input_->duration_ns();
        promised_ns_ = input_->duration_is_promised() ? duration_ns_ : -1;
        slack_ns_ = std::max<std::int64_t>(500'000'000, 3 * input_->frame_duration_ns());
        readable_twice_ = input_->seekable();
        const std::string path = elements::local_path(job_.input);
        if (!path.empty()) missing_ = missing_data(path);
    } else {
        finite_ = readable_twice_ = false;
    }
    if (!job_.output.empty()) {
        FilmWriterOptions options;
        options.output = job_.output;
        options.container = container_of(job_.output);
        options.burn = job_.burn;
        options.fragmented = !readable_twice_;
        if (input_ != nullptr) options.plan = plan_tracks(*input_, options.container, !job_.burn);
        for (const std::string& track : options.plan.dropped) {
            const std::string text = job_.output + ": " + track;
            job_.drop_tracks ? notice(text) : incomplete(text);
        }
        if (options.fragmented) {
            notice(job_.input + ": cannot be read twice; " + job_.output +
                   " becomes a fragmented recording");
        }
        if (options.container == Container::WebM && texts.vtt.empty())
            texts.vtt = vtt_beside(job_.output);
        writer_ = std::make_unique<FilmWriter>(std::move(options), input_.get());
    }
    texts_ = std::make_unique<TextOutputs>(texts);
}

void FilmRun::build() {
    elements::register_seesay_elements();
    pipeline_ = GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new("seesay")));
    source_ = add(pipeline_, "seesaysource");
    if (input_ != nullptr) {
        elements::FilmReader::Tap tap;
        if (writer_) {
            tap = [this](const AVPacket& packet, const AVStream& stream) {
                try {
                    if (!failed_) writer_->copy(packet, stream);
                } catch (...) {
                    fail(std::current_exception());
                }
            };
        }
        elements::set_film_input(source_, std::move(input_), std::move(tap));
    } else {
        g_object_set(source_, "uri", job_.input.c_str(), nullptr);
        gst_util_set_object_arg(G_OBJECT(source_), "reader", "stream");
    }
    GstElement* queue = add_queue(pipeline_, pixels_);
    const auto write_event = [this](const std::string& line) {
        try {
            texts_->write_event(line);
        } catch (...) {
            fail(std::current_exception());
        }
    };
    GstElement* middle =
        job_.middle
            ? job_.middle()
            : new_caption_elements(
                  job_, stream_,
                  job_.jsonl.empty() ? std::function<void(const std::string&)>() : write_event);
    gst_bin_add(GST_BIN(pipeline_), middle);
    if (!gst_element_link_many(source_, queue, middle, nullptr)) {
        throw Error("the pipeline's elements cannot be linked");
    }
    probe_source(source_);
    probe_middle(middle);
    build_sink(middle);
}

void FilmRun::build_sink(GstElement* last) {
    if (!burns()) {
        GstElement* sink = add(pipeline_, "fakesink");
        g_object_set(sink, "sync", FALSE, "async", FALSE, "enable-last-sample", FALSE, nullptr);
        gst_element_link(last, sink);
        return;
    }
    EncoderSettings settings{job_.encoder, job_.crf, job_.preset, container_of(job_.output)};
    settings.live = !finite_;
    settings.tagged = tagged_;
    settings.frame_rate = frame_rate_;
    settings.pixels = pixels_;
    GstElement* queue = add_queue(pipeline_, pixels_);
    GstElement* encoder = new_encoder(settings);
    gst_bin_add(GST_BIN(pipeline_), encoder);
    GstElement* sink = add(pipeline_, "appsink");
    g_object_set(sink, "sync", FALSE, "async", FALSE, "emit-signals", TRUE, "enable-last-sample",
                 FALSE, "max-buffers", 4U, nullptr);
    g_signal_connect(sink, "new-sample", G_CALLBACK(on_sample), this);
    if (!gst_element_link_many(last, queue, encoder, sink, nullptr)) {
        throw Error("the encoder cannot be linked");
    }
}

void FilmRun::probe_source(GstElement* source) {
    GstPad* pad = gst_element_get_static_pad(source, "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_source_buffer, this, nullptr);
    gst_object_unref(pad);
}

void FilmRun::probe_middle(GstElement* middle) {
    GstPad* pad = gst_element_get_static_pad(middle, "src");
    gst_pad_add_probe(pad,
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER |
                                                   GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
                      on_middle, this, nullptr);
    gst_object_unref(pad);
}

}  // namespace seesay::pipeline
