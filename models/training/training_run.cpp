// The course of a training run.
#include "models/training/training_run.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>

#include "models/error.hpp"
#include "models/language/captioner_package.hpp"
#include "models/language/decoding.hpp"
#include "models/tensor/threads.hpp"
#include "models/training/encoder_source.hpp"
#include "models/training/evaluation.hpp"
#include "models/training/network_captioner.hpp"
#include "models/training/trained_packages.hpp"
#include "models/training/tuned_encoder.hpp"
#include "models/weights/encoder_reference.hpp"
#include "models/weights/model_package.hpp"
#include "models/weights/package_manifest.hpp"

namespace seesay::training {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kSaveEvery = std::chrono::minutes(5);
constexpr std::int64_t kLogEvery = 20;  // steps

// Best weights so far, kept in the work folder: float32, so that nothing is rounded twice.
constexpr const char* kBestFile = "best.safetensors";
constexpr const char* kBestTopFile = "best-encoder.safetensors";
constexpr const char* kStateFile = "state.pt";
constexpr const char* kDefaultEncoder = "encoder-lite2";

// What the writer of packages would refuse after hours of training.
void require_package_target(const fs::path& folder) {
    if (fs::exists(folder) && !fs::exists(folder / weights::manifest_name)) {
        throw Error(folder.string() + ": exists and is not a model package; choose another name");
    }
}

std::vector<weights::NamedTensor> values_of(
    const std::map<std::string, weights::NamedTensor>& tensors) {
    std::vector<weights::NamedTensor> values;
    for (const auto& [name, tensor] : tensors) {
        values.push_back(tensor);
    }
    return values;
}

class TrainingRun {
 public:
    TrainingRun(const TrainingRunOptions& options, const TrainingCallbacks& callbacks)
        : options_(options), callbacks_(callbacks) {}

    TrainingOutcome run() {
        check_options();
        tensor::set_num_threads(options_.training.threads);
        tensor::flush_denormals(true);
        fs::create_directories(options_.work);
        fs::create_directories(options_.cache);
        open_data();
        open_features();
        start_trainer();
        const bool finished = train();
        TrainingOutcome outcome;
        outcome.finished = finished;
        outcome.best_epoch = best_epoch_;
        if (best_epoch_ > 0) {
            write_packages();
            outcome.package = options_.output;
        }
        return outcome;
    }

 private:
    [[nodiscard]] bool fine_tunes() const { return options_.fine_tune_from >= 0; }
    [[nodiscard]] bool is_self_critical() const {
        return options_.training.objective == Objective::SelfCritical;
    }

    void check_options() {
        if (options_.name.empty()) {
            options_.name = options_.output.filename().string();
        }
        // A run that is resumed may have left a package of its own there.
        options_.replace = options_.replace || fs::exists(options_.work / kStateFile);
        if (!weights::is_package_name(options_.name)) {
            throw Error("\"" + options_.name +
                        "\" cannot name a package: use 1 to 64 of A-Z a-z 0-9 . _ -, not starting "
                        "with a dot (--name)");
        }
        if (fs::exists(options_.output) && !options_.replace) {
            throw Error(options_.output.string() + ": exists already; give --force to replace it");
        }
        if (fine_tunes() && options_.encoder_output.empty()) {
            throw Error(
                "--fine-tune-from changes the encoder; say with --encoder-output where its package "
                "goes");
        }
        if (fine_tunes() && fs::exists(options_.encoder_output) && !options_.replace) {
            throw Error(options_.encoder_output.string() +
                        ": exists already; give --force to replace it");
        }
        require_package_target(options_.output);
        if (fine_tunes()) require_package_target(options_.encoder_output);
        if (options_.data.held_out < 1) {
            throw Error(
                "--held-out must be at least 1: without held-out pictures nothing says which epoch "
                "is best");
        }
        if (is_self_critical()) {
            check(options_.training.self_critical);
            if (options_.initial.empty()) {
                throw Error(
                    "self-critical training starts from a captioner that can already speak; name "
                    "its package with --initial");
            }
        }
        language::check(options_.decoding);
    }

    void note(const std::string& text) {
        log({{"event", "note"}, {"text", text}});
        if (callbacks_.note) {
            callbacks_.note(text);
        }
    }

    void log(const nlohmann::json& line) {
        std::ofstream stream(options_.work / "log.jsonl", std::ios::app);
        stream << line.dump() << '\n';
    }

    void progress(const std::string& stage, std::int64_t done, std::int64_t all) {
        if (callbacks_.progress) {
            callbacks_.progress({stage, done, all, std::nullopt, 0});
        }
    }

    void open_data() {
        data_ = load_caption_data(options_.data);
        if (options_.initial.empty()) {
            vocabulary_ = std::make_unique<language::Vocabulary>(
                build_vocabulary(data_, options_.data.language, options_.training.minimum_count));
        } else {
            open_initial();
        }
        if (options_.decoding.bad_endings.empty()) {
            options_.decoding.bad_endings = language::bad_endings_of(options_.data.language);
        }
        options_.training.dropout =
            dropout_for(options_.training.network.architecture, options_.dropout);
        std::int64_t captions = 0;
        for (const auto& picture : data_.training) {
            captions += static_cast<std::int64_t>(picture.captions.size());
        }
        note(std::to_string(data_.training.size()) + " training pictures with " +
             std::to_string(captions) + " captions, " + std::to_string(data_.held_out.size()) +
             " held out, " + std::to_string(data_.evaluation_pictures) +
             " for evaluation; vocabulary of " + std::to_string(vocabulary_->size()));
        if (data_.captions_left_out > 0) {
            note(std::to_string(data_.captions_left_out) + " training captions of " +
                 std::to_string(data_.pictures_touched) +
                 " pictures are evaluation captions word for word and were left out");
        }
        if (data_.empty_captions > 0) {
            note(std::to_string(data_.empty_captions) + " captions have no word and were left out");
        }
    }

    // The package to start from; what it cannot give up decides over the options.
    void open_initial() {
        initial_ = std::make_unique<weights::ModelPackage>(
            weights::ModelPackage::open(weights::find_package(options_.initial)));
        const auto captioner = language::load_captioner(*initial_);
        vocabulary_ = std::make_unique<language::Vocabulary>(captioner->vocabulary());
        if (vocabulary_->language() != options_.data.language) {
            throw Error("--initial " + options_.initial + " speaks " + vocabulary_->language() +
                        ", but --language is " + options_.data.language);
        }
        const auto& manifest = initial_->manifest();
        options_.training.network = {initial_->architecture(), manifest.at("sizes"),
                                     manifest.value("options", nlohmann::json::object())};
        options_.training.initial_sha256 = initial_->sha256();
    }

    [[nodiscard]] weights::ModelPackage find_encoder() const {
        if (initial_ && options_.encoder.empty()) {
            return weights::open_encoder_of(*initial_);
        }
        auto encoder = weights::open_encoder_of(weights::ModelPackage::open(
            weights::find_package(options_.encoder.empty() ? kDefaultEncoder : options_.encoder)));
        if (initial_ && initial_->manifest().at("encoder").at("sha256") != encoder.sha256()) {
            throw Error("--initial " + options_.initial + " reads the features of encoder " +
                        initial_->manifest().at("encoder").at("name").get<std::string>() +
                        "; --encoder " + options_.encoder + " is another one");
        }
        return encoder;
    }

    void open_features() {
        encoder_ = std::make_unique<weights::ModelPackage>(find_encoder());
        if (fine_tunes()) {
            auto lower = std::make_unique<LowerBlocks>(*encoder_, options_.fine_tune_from);
            top_ = std::make_shared<UpperBlocks>(*encoder_, options_.fine_tune_from, lower->rows(),
                                                 options_.device);
            source_ = std::move(lower);
        } else {
            source_ = std::make_unique<EncoderSource>(*encoder_, options_.device,
                                                      options_.training.threads);
        }
        const auto report = [this](std::int64_t done, std::int64_t all) {
            progress("features", done, all);
        };
        features_ = std::make_unique<FeatureCache>(
            FeatureCache::open(options_.cache, data_.training, *source_, options_.training.views,
                               options_.training.seed, report));
        held_out_ = std::make_unique<FeatureCache>(FeatureCache::open(
            options_.cache, data_.held_out, *source_, 1, options_.training.seed, report));
    }

    void start_trainer() {
        trainer_ = std::make_unique<Trainer>(options_.training, data_, *vocabulary_, *features_,
                                             top_, options_.device);
        const fs::path state = options_.work / kStateFile;
        if (!fs::exists(state)) {
            if (initial_) {
                trainer_->start_from(initial_->tensors().tensors());
            }
            return;
        }
        const auto extra = trainer_->restore(state);
        if (extra.at("vocabulary") != vocabulary_->to_json() ||
            extra.at("encoder") != encoder_->sha256()) {
            throw Error(state.string() +
                        ": this run was started with other data or another encoder; use another "
                        "--work folder or delete it");
        }
        best_epoch_ = extra.at("best_epoch").get<std::int64_t>();
        best_score_ = extra.at("best_score").get<double>();
        best_scores_ = extra.at("best_scores");
        minutes_before_ = extra.at("minutes").get<double>();
        epoch_loss_ = extra.at("epoch_loss").get<double>();
        epoch_words_ = extra.at("epoch_words").get<std::int64_t>();
        epoch_reward_ = extra.at("epoch_reward").get<double>();
        note("resumed after step " + std::to_string(trainer_->steps_done()) + " of " +
             std::to_string(trainer_->steps_in_all()));
    }

    [[nodiscard]] double minutes() const {
        return minutes_before_ +
               std::chrono::duration<double>(Clock::now() - started_).count() / 60;
    }

    void save() {
        trainer_->save(options_.work / kStateFile, {{"vocabulary", vocabulary_->to_json()},
                                                    {"encoder", encoder_->sha256()},
                                                    {"best_epoch", best_epoch_},
                                                    {"best_score", best_score_},
                                                    {"best_scores", best_scores_},
                                                    {"minutes", minutes()},
                                                    {"epoch_loss", epoch_loss_},
                                                    {"epoch_words", epoch_words_},
                                                    {"epoch_reward", epoch_reward_}});
        saved_ = Clock::now();
    }

    // True if the run came to its end, false if it was stopped.
    bool train() {
        started_ = saved_ = Clock::now();
        while (trainer_->steps_done() < trainer_->steps_in_all()) {
            const StepReport report = trainer_->step();
            epoch_loss_ += report.cross_entropy * static_cast<double>(report.words);
            epoch_words_ += report.words;
            epoch_reward_ += report.reward;
            const std::int64_t epoch = (report.step - 1) / trainer_->steps_per_epoch() + 1;
            if (callbacks_.progress) {
                callbacks_.progress(
                    {"training", report.step, trainer_->steps_in_all(), report, epoch});
            }
            if (report.step % kLogEvery == 0) {
                log_step(report, epoch);
            }
            if (report.step % trainer_->steps_per_epoch() == 0) {
                end_epoch(epoch);
                const int patience = options_.training.patience;
                if (patience > 0 && epoch - best_epoch_ >= patience) {
                    note("no better epoch for " + std::to_string(patience) +
                         " epochs: stopped early");
                    return true;
                }
            }
            const bool out_of_time =
                options_.training.time_limit_minutes > 0 &&
                minutes() - minutes_before_ >= options_.training.time_limit_minutes;
            if (out_of_time || (callbacks_.stop && callbacks_.stop())) {
                save();
                if (trainer_->steps_done() < trainer_->steps_in_all()) {
                    note("stopped after step " + std::to_string(report.step) +
                         "; the same command goes on from here");
                    return false;
                }
            }
            if (Clock::now() - saved_ > kSaveEvery) {
                save();
            }
        }
        return true;
    }

    void log_step(const StepReport& report, std::int64_t epoch) {
        nlohmann::json line{{"event", "step"},
                            {"step", report.step},
                            {"epoch", epoch},
                            {"cross_entropy", report.cross_entropy},
                            {"doubly_stochastic", report.doubly_stochastic},
                            {"gradient_norm", report.gradient_norm},
                            {"learning_rate", report.learning_rate},
                            {"minutes", minutes()}};
        if (is_self_critical()) {
            line.erase("doubly_stochastic");
            line["reward"] = report.reward;
            line["baseline"] = report.baseline;
        }
        log(line);
    }

    void end_epoch(std::int64_t epoch) {
        EpochReport report;
        report.epoch = epoch;
        report.cross_entropy =
            epoch_loss_ / static_cast<double>(std::max<std::int64_t>(epoch_words_, 1));
        report.reward = epoch_reward_ / static_cast<double>(trainer_->steps_per_epoch());
        const auto scores = score_held_out();
        report.bleu_4 = scores.bleu[3];
        report.cider_d = scores.cider_d;
        report.best = best_epoch_ == 0 || scores.cider_d > best_score_;
        report.minutes = minutes();
        if (report.best) {
            best_epoch_ = epoch;
            best_score_ = scores.cider_d;
            best_scores_ = {{"pictures", data_.held_out.size()},
                            {"BLEU-4", scores.bleu[3]},
                            {"CIDEr-D", scores.cider_d}};
            weights::write_safetensors(options_.work / kBestFile,
                                       trainer_->captioner_tensors(weights::DataType::F32));
            if (top_) {
                weights::write_safetensors(
                    options_.work / kBestTopFile,
                    top_->encoder_tensors(*encoder_, trainer_->top_parameters()));
            }
        }
        epoch_loss_ = 0;
        epoch_words_ = 0;
        epoch_reward_ = 0;
        nlohmann::json line{{"event", "epoch"},
                            {"epoch", epoch},
                            {"cross_entropy", report.cross_entropy},
                            {"BLEU-4", report.bleu_4},
                            {"CIDEr-D", report.cider_d},
                            {"best", report.best},
                            {"minutes", report.minutes}};
        if (is_self_critical()) {
            line["reward"] = report.reward;
        }
        log(line);
        save();
        if (callbacks_.epoch) {
            callbacks_.epoch(report);
        }
    }

    metrics::CaptionScores score_held_out() {
        const auto captioner =
            captioner_of(network(), trainer_->captioner_tensors(weights::DataType::F32),
                         *vocabulary_, options_.decoding, {options_.name, "", "", ""});
        std::vector<vision::FeatureSet> features;
        std::vector<std::vector<std::string>> references;
        for (std::size_t i = 0; i < data_.held_out.size(); ++i) {
            features.push_back(held_out_features(i));
            references.push_back(data_.held_out[i].captions);
        }
        const auto captions =
            caption_all(*captioner, features, options_.decoding,
                        [this](auto done, auto all) { progress("held-out pictures", done, all); });
        return metrics::evaluate(captions, references);
    }

    vision::FeatureSet held_out_features(std::size_t index) {
        const ViewOfPicture wanted{index, 0};
        return to_feature_set(*held_out_, wanted, top_.get(),
                              top_ ? trainer_->top_parameters() : std::vector<at::Tensor>{});
    }

    [[nodiscard]] NetworkStatement network() const {
        auto network = options_.training.network;
        network.sizes["features"] = top_ ? top_->dimension() : features_->dimension();
        network.sizes["vocabulary"] = vocabulary_->size();
        return network;
    }

    // The packages of the best epoch.
    void write_packages() {
        const auto best_of = [this](const char* file) {
            return values_of(weights::Safetensors::open(options_.work / file).tensors());
        };
        const auto trained = [this] {
            return TrainedRun{options_,  data_,       *vocabulary_, network(),
                              *encoder_, best_epoch_, best_scores_};
        };
        if (top_) {
            write_tuned_encoder(trained(), best_of(kBestTopFile));
            *encoder_ = weights::ModelPackage::open(options_.encoder_output);
        }
        write_captioner(trained(), best_of(kBestFile), [this](auto done, auto all) {
            progress("evaluation pictures", done, all);
        });
    }

    TrainingRunOptions options_;
    const TrainingCallbacks& callbacks_;
    CaptionData data_;
    std::unique_ptr<language::Vocabulary> vocabulary_;
    std::unique_ptr<weights::ModelPackage> initial_;
    std::unique_ptr<weights::ModelPackage> encoder_;
    std::unique_ptr<FeatureSource> source_;
    std::shared_ptr<UpperBlocks> top_;
    std::unique_ptr<FeatureCache> features_;
    std::unique_ptr<FeatureCache> held_out_;
    std::unique_ptr<Trainer> trainer_;
    Clock::time_point started_;
    Clock::time_point saved_;
    double minutes_before_ = 0;
    std::int64_t best_epoch_ = 0;
    double best_score_ = 0;
    nlohmann::json best_scores_;
    double epoch_loss_ = 0;
    double epoch_reward_ = 0;
    std::int64_t epoch_words_ = 0;
};

}  // namespace

TrainingOutcome run_training(const TrainingRunOptions& options,
                             const TrainingCallbacks& callbacks) {
    return TrainingRun(options, callbacks).run();
}

}  // namespace seesay::training
