// One step after another: batch, loss, gradient, Adam, running mean; and the state that outlives a
// kill.
#include "models/training/trainer.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "models/error.hpp"
#include "models/language/architectures.hpp"
#include "models/tensor/device.hpp"
#include "models/training/network_captioner.hpp"
#include "models/training/random.hpp"
#include "models/training/self_critical.hpp"
#include "models/weights/torch_tensor.hpp"

namespace seesay::training {
namespace {

namespace fs = std::filesystem;

// Purposes of random numbers, for mix_seed.
constexpr std::uint64_t kOrder = 1, kViews = 2, kDropout = 3, kWeights = 4, kSamples = 5;

torch::optim::AdamWOptions adam(double rate, double weight_decay) {
    return torch::optim::AdamWOptions(rate).weight_decay(weight_decay);
}

// `[B, L, D]` as what captioners read.
std::vector<vision::FeatureSet> feature_sets(const at::Tensor& features) {
    const at::Tensor values = features.to(at::kCPU, at::kFloat).contiguous();
    const std::int64_t size = values.size(1) * values.size(2);
    std::vector<vision::FeatureSet> sets;
    for (std::int64_t i = 0; i < values.size(0); ++i) {
        const float* first = values.data_ptr<float>() + i * size;
        vision::FeatureSet& set = sets.emplace_back();
        set.count = static_cast<int>(values.size(1));
        set.dimension = static_cast<int>(values.size(2));
        set.vectors.assign(first, first + size);
    }
    return sets;
}

}  // namespace

struct Trainer::Batch {
    std::vector<ViewOfPicture> views;
    std::vector<std::vector<std::int64_t>> captions;
    std::vector<std::int64_t> pictures;
};

struct Trainer::Network {
    std::shared_ptr<language::CaptionNetwork> captioner;
    std::shared_ptr<EncoderTop> top;
    std::unique_ptr<torch::optim::AdamW> optimizer;
    std::vector<double> heights;  // learning rate of each parameter group at the schedule's height
    std::vector<at::Tensor> parameters;  // captioner's, then top's
    std::vector<at::Tensor> average;     // of parameters; empty without averaging
    at::Device device{at::kCPU};

    [[nodiscard]] language::PackedCaptions packed(
        const std::vector<std::vector<std::int64_t>>& captions,
        const std::vector<std::int64_t>& pictures, const language::Vocabulary& vocabulary,
        std::int64_t maximum_length) const {
        auto result = language::pack_captions(captions, pictures, vocabulary.start(),
                                              vocabulary.end(), maximum_length);
        for (at::Tensor* tensor :
             {&result.inputs, &result.targets, &result.caption, &result.pictures}) {
            *tensor = tensor->to(device);
        }
        return result;
    }
};

Trainer::Trainer(const TrainingOptions& options, const CaptionData& data,
                 const language::Vocabulary& vocabulary, const FeatureCache& features,
                 std::shared_ptr<EncoderTop> top, const std::string& device)
    : options_(options),
      data_(data),
      vocabulary_(vocabulary),
      features_(features),
      network_(std::make_unique<Network>()) {
    auto& sizes = options_.network.sizes;
    sizes["features"] = top ? top->dimension() : features.dimension();
    sizes["vocabulary"] = vocabulary.size();
    for (const auto& picture : data.training) {
        auto& captions = tokens_.emplace_back();
        auto& sides = names_a_side_.emplace_back();
        for (const auto& words : picture.words) {
            const auto ids = vocabulary.ids(words);
            captions.emplace_back(ids.begin(), ids.end());
            sides.push_back(std::find(words.begin(), words.end(), "left") != words.end() ||
                            std::find(words.begin(), words.end(), "right") != words.end());
        }
    }
    const auto pictures = static_cast<std::int64_t>(data.training.size());
    steps_per_epoch_ = (pictures + options_.pictures_per_step - 1) / options_.pictures_per_step;

    check(options_.hard_attention);
    if (options_.objective == Objective::SelfCritical) {
        check(options_.self_critical);
        reward_ =
            std::make_unique<CaptionReward>(data.training, vocabulary, options_.self_critical);
    }
    network_->device = tensor::parse_device(device);
    torch::manual_seed(mix_seed(options_.seed, kWeights));
    network_->captioner = language::make_network(
        options_.network.architecture, sizes, options_.network.options, "the network to train",
        options_.dropout, vocabulary.unknown(), language::Initialisation::Random);
    network_->captioner->to(network_->device);
    if (options_.hard_attention.drawn > 0 && !network_->captioner->draws_places()) {
        throw Error("hard attention is a way to train show-attend-tell, not " +
                    options_.network.architecture);
    }
    network_->top = std::move(top);
    std::vector<at::Tensor> matrices, vectors;
    for (auto& parameter : network_->captioner->parameters()) {
        network_->parameters.push_back(parameter);
        (parameter.dim() > 1 ? matrices : vectors).push_back(parameter);
    }
    std::vector<torch::optim::OptimizerParamGroup> groups;
    groups.emplace_back(matrices, std::make_unique<torch::optim::AdamWOptions>(
                                      adam(options_.learning_rate, options_.weight_decay)));
    groups.emplace_back(
        vectors, std::make_unique<torch::optim::AdamWOptions>(adam(options_.learning_rate, 0)));
    network_->heights = {options_.learning_rate, options_.learning_rate};
    if (network_->top) {
        const auto parameters = network_->top->parameters();
        network_->parameters.insert(network_->parameters.end(), parameters.begin(),
                                    parameters.end());
        groups.emplace_back(parameters, std::make_unique<torch::optim::AdamWOptions>(
                                            adam(options_.encoder_learning_rate, 0)));
        network_->heights.push_back(options_.encoder_learning_rate);
    }
    network_->optimizer =
        std::make_unique<torch::optim::AdamW>(groups, adam(options_.learning_rate, 0));
    if (options_.average_decay > 0) {
        for (const auto& parameter : network_->parameters) {
            network_->average.push_back(parameter.detach().clone());
        }
    }
}

Trainer::~Trainer() = default;

Trainer::Batch Trainer::next_batch() const {
    const std::int64_t epoch = step_ / steps_per_epoch_;
    std::vector<std::size_t> order(data_.training.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random(mix_seed(options_.seed, kOrder, epoch)).shuffle(order);

    Batch batch;
    Random random(mix_seed(options_.seed, kViews, step_));
    const std::size_t begin =
        static_cast<std::size_t>(step_ % steps_per_epoch_) * options_.pictures_per_step;
    const std::size_t end = std::min(begin + options_.pictures_per_step, order.size());
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t picture = order[i];
        int view = static_cast<int>(random.below(features_.views()));
        // A mirrored picture contradicts captions that say left or right. As rewards, a picture's
        // captions stand or fall together.
        const auto& sides = names_a_side_[picture];
        const bool needs_all = options_.objective == Objective::SelfCritical;
        const auto usable = std::count(sides.begin(), sides.end(), false);
        if (view % 2 == 1 && (usable == 0 || (needs_all && usable < std::ssize(sides)))) {
            view = 0;
        }
        for (std::size_t c = 0; c < tokens_[picture].size(); ++c) {
            if (view % 2 == 1 && sides[c]) {
                continue;
            }
            batch.captions.push_back(tokens_[picture][c]);
            batch.pictures.push_back(static_cast<std::int64_t>(batch.views.size()));
        }
        batch.views.push_back({picture, view});
    }
    return batch;
}

double Trainer::learning_rate_factor(std::int64_t step) const {
    const double warm_up = std::max(options_.warm_up_steps, 1);
    if (static_cast<double>(step) < warm_up) {
        return (static_cast<double>(step) + 1) / warm_up;
    }
    const double progress = (static_cast<double>(step) - warm_up) /
                            std::max(1.0, static_cast<double>(steps_in_all()) - warm_up);
    return options_.final_rate + (1 - options_.final_rate) * 0.5 *
                                     (1 + std::cos(std::numbers::pi * std::min(progress, 1.0)));
}

at::Tensor Trainer::cross_entropy(const Batch& batch, const at::Tensor& features,
                                  StepReport& report) {
    const auto packed =
        network_->packed(batch.captions, batch.pictures, vocabulary_, options_.maximum_length);
    network_->captioner->train();
    language::ForcingOptions forcing;
    forcing.scheduled_sampling = options_.scheduled_sampling;
    forcing.drawn_places = options_.hard_attention.drawn;
    const auto output = network_->captioner->forward({features, {}}, packed, forcing);
    const at::Tensor log_probabilities = at::log_softmax(output.logits, 1);
    const at::Tensor of_words = log_probabilities.gather(1, packed.targets.unsqueeze(1)).squeeze(1);
    const at::Tensor word_loss = -of_words.mean();
    at::Tensor loss = word_loss * (1 - options_.label_smoothing);
    if (output.attention.defined()) {
        loss = loss + attention_terms(output, packed, of_words, report);
    }
    if (options_.label_smoothing > 0) {
        loss = loss - options_.label_smoothing * log_probabilities.mean();
    }
    report.cross_entropy = word_loss.item<double>();
    report.words = packed.targets.size(0);
    return loss;
}

at::Tensor Trainer::attention_terms(const language::TeacherForcing& forced,
                                    const language::PackedCaptions& packed,
                                    const at::Tensor& word_log_probabilities, StepReport& report) {
    const at::Tensor stochastic = language::doubly_stochastic_term(forced.attention, packed);
    report.doubly_stochastic = stochastic.item<double>();
    at::Tensor loss = options_.doubly_stochastic * stochastic;
    if (options_.hard_attention.drawn > 0) {
        const auto hard = hard_attention_loss(word_log_probabilities, forced, packed,
                                              place_baseline_, options_.hard_attention);
        report.baseline = place_baseline_;
        report.attention_entropy = hard.entropy;
        place_baseline_ = hard.baseline;
        loss = loss + hard.loss;
    }
    return loss;
}

at::Tensor Trainer::self_critical(const Batch& batch, const at::Tensor& features,
                                  StepReport& report) {
    std::vector<std::size_t> pictures;
    for (const ViewOfPicture& view : batch.views) {
        pictures.push_back(view.picture);
    }
    const auto captioner =
        captioner_of(options_.network, tensors_of(network_->parameters, weights::DataType::F32),
                     vocabulary_, {}, {});
    const auto drawn = draw_captions(*captioner, feature_sets(features.detach()), pictures,
                                     *reward_, options_.self_critical, options_.maximum_length,
                                     mix_seed(options_.seed, kSamples, step_));
    const auto packed =
        network_->packed(drawn.captions, drawn.pictures, vocabulary_, options_.maximum_length);
    network_->captioner->eval();  // the captions were drawn without dropout
    const auto output = network_->captioner->forward({features, {}}, packed);
    const at::Tensor log_probabilities = at::log_softmax(output.logits, 1);
    report.cross_entropy =
        -log_probabilities.detach().gather(1, packed.targets.unsqueeze(1)).mean().item<double>();
    report.words = packed.targets.size(0);
    report.reward = drawn.mean_reward;
    report.baseline = drawn.mean_baseline;
    return self_critical_loss(log_probabilities, packed, drawn.advantages);
}

StepReport Trainer::step() {
    Network& net = *network_;
    const Batch batch = next_batch();
    StepReport report;
    const double factor = learning_rate_factor(step_);
    report.learning_rate = factor * options_.learning_rate;
    for (std::size_t group = 0; group < net.heights.size(); ++group) {
        static_cast<torch::optim::AdamWOptions&>(net.optimizer->param_groups()[group].options())
            .lr(factor * net.heights[group]);
    }

    torch::manual_seed(mix_seed(options_.seed, kDropout, step_));
    at::Tensor features = features_.batch(batch.views).to(net.device);
    if (net.top) {
        features = net.top->forward(features);
    }
    const at::Tensor loss = options_.objective == Objective::SelfCritical
                                ? self_critical(batch, features, report)
                                : cross_entropy(batch, features, report);
    if (!std::isfinite(loss.item<double>())) {
        throw Error("training step " + std::to_string(step_ + 1) +
                    ": the loss is not a finite number; lower --learning-rate or go back to an "
                    "earlier checkpoint");
    }
    net.optimizer->zero_grad();
    loss.backward();
    report.gradient_norm = torch::nn::utils::clip_grad_norm_(net.parameters, options_.clip);
    net.optimizer->step();
    ++step_;
    report.step = step_;
    update_average();
    return report;
}

void Trainer::update_average() {
    if (network_->average.empty()) {
        return;
    }
    const torch::NoGradGuard no_gradient;
    // The first steps would otherwise weigh the random start for a thousand steps.
    const double done = static_cast<double>(step_);
    const double decay = std::min(options_.average_decay, (1 + done) / (10 + done));
    for (std::size_t i = 0; i < network_->average.size(); ++i) {
        network_->average[i].mul_(decay).add_(network_->parameters[i].detach(), 1 - decay);
    }
}

std::vector<weights::NamedTensor> Trainer::tensors_of(const std::vector<at::Tensor>& values,
                                                      weights::DataType type) const {
    std::vector<weights::NamedTensor> tensors;
    const auto names = network_->captioner->named_parameters().keys();
    for (std::size_t i = 0; i < names.size(); ++i) {
        tensors.push_back(weights::from_tensor(names[i], values[i].detach(), type));
    }
    return tensors;
}

std::vector<weights::NamedTensor> Trainer::captioner_tensors(weights::DataType type) const {
    return tensors_of(network_->average.empty() ? network_->parameters : network_->average, type);
}

void Trainer::start_from(const std::map<std::string, weights::NamedTensor>& tensors) {
    const torch::NoGradGuard no_gradient;
    for (const auto& item : network_->captioner->named_parameters()) {
        const auto found = tensors.find(item.key());
        if (found == tensors.end() ||
            at::IntArrayRef(found->second.shape) != item.value().sizes()) {
            throw Error("the weights to start from do not fit the network: tensor " + item.key() +
                        (found == tensors.end() ? " is missing" : " has another shape"));
        }
        at::Tensor parameter = item.value();
        parameter.copy_(weights::to_tensor(found->second, at::kFloat));
    }
    for (std::size_t i = 0; i < network_->average.size(); ++i) {
        network_->average[i].copy_(network_->parameters[i]);
    }
}

std::vector<at::Tensor> Trainer::top_parameters() const {
    const std::size_t own = network_->captioner->parameters().size();
    const auto& values = network_->average.empty() ? network_->parameters : network_->average;
    return {values.begin() + static_cast<std::ptrdiff_t>(own), values.end()};
}

void Trainer::save(const fs::path& file, const nlohmann::json& extra) const {
    torch::serialize::OutputArchive archive, optimizer;
    for (std::size_t i = 0; i < network_->parameters.size(); ++i) {
        archive.write("parameter." + std::to_string(i), network_->parameters[i].detach(),
                      /*is_buffer=*/true);
    }
    for (std::size_t i = 0; i < network_->average.size(); ++i) {
        archive.write("average." + std::to_string(i), network_->average[i], /*is_buffer=*/true);
    }
    network_->optimizer->save(optimizer);
    archive.write("optimizer", optimizer);
    archive.write("step", c10::IValue(step_));
    archive.write("place_baseline", c10::IValue(place_baseline_));
    archive.write("options", c10::IValue(options_.to_json().dump()));
    archive.write("extra", c10::IValue(extra.dump()));
    const fs::path temporary = file.string() + ".part";
    archive.save_to(temporary.string());
    fs::rename(temporary, file);
}

nlohmann::json Trainer::restore(const fs::path& file) {
    try {
        torch::serialize::InputArchive archive, optimizer;
        archive.load_from(file.string());
        c10::IValue options, step, extra, place_baseline;
        archive.read("options", options);
        if (options.toStringRef() != options_.to_json().dump()) {
            throw Error(file.string() +
                        ": this run was started with other options or data; use another --work "
                        "folder or delete it");
        }
        const torch::NoGradGuard no_gradient;
        const auto read = [&](const std::string& name, at::Tensor& into) {
            at::Tensor value;
            archive.read(name, value, /*is_buffer=*/true);
            into.copy_(value);
        };
        for (std::size_t i = 0; i < network_->parameters.size(); ++i) {
            read("parameter." + std::to_string(i), network_->parameters[i]);
        }
        for (std::size_t i = 0; i < network_->average.size(); ++i) {
            read("average." + std::to_string(i), network_->average[i]);
        }
        archive.read("optimizer", optimizer);
        network_->optimizer->load(optimizer);
        archive.read("step", step);
        archive.read("extra", extra);
        step_ = step.toInt();
        archive.read("place_baseline", place_baseline);
        place_baseline_ = place_baseline.toDouble();
        return nlohmann::json::parse(extra.toStringRef());
    } catch (const c10::Error& error) {
        throw Error(file.string() + ": not a training state of this version, or damaged: " +
                    error.what_without_backtrace());
    }
}

}  // namespace seesay::training
