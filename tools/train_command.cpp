// Options, progress and signals of `seesay train`.
#include "tools/train_command.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/language/architectures.hpp"
#include "models/training/training_run.hpp"
#include "tools/openmp_policy.hpp"
#include "tools/option_checks.hpp"
#include "tools/progress_line.hpp"

namespace seesay::tools {
namespace {

using training::TrainingRunOptions;

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int signal) {
    if (interrupted != 0) {
        std::_Exit(128 + signal);
    }
    interrupted = signal;
}

std::string number(double value, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

int train(const TrainingRunOptions& options, bool quiet) {
    set_openmp_policy(OpenMpUse::Training);
    ProgressLine progress(quiet);
    const bool self_critical = options.training.objective == training::Objective::SelfCritical;
    training::TrainingCallbacks callbacks;
    callbacks.note = [&](const std::string& text) { progress.line(text); };
    callbacks.progress = [&](const training::TrainingProgress& now) {
        if (now.step) {
            progress.show("epoch " + std::to_string(now.epoch), now.done, now.all,
                          self_critical ? "reward " + number(now.step->reward, 3)
                                        : "loss " + number(now.step->cross_entropy, 3));
        } else {
            progress.show(now.stage, now.done, now.all);
        }
    };
    callbacks.epoch = [&](const training::EpochReport& epoch) {
        progress.line("epoch " + std::to_string(epoch.epoch) +
                      (self_critical ? ": reward " + number(epoch.reward, 4)
                                     : ": loss " + number(epoch.cross_entropy, 3)) +
                      ", held-out BLEU-4 " + number(epoch.bleu_4, 4) + ", CIDEr-D " +
                      number(epoch.cider_d, 4) + (epoch.best ? "  (best so far)" : "") + ", " +
                      number(epoch.minutes, 1) + " minutes");
    };
    callbacks.stop = [] { return interrupted != 0; };
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);

    const auto outcome = training::run_training(options, callbacks);
    if (outcome.best_epoch == 0) {
        progress.complain(
            "seesay: stopped before the first epoch was over: no package yet; the same command "
            "goes on "
            "from here");
        return 3;
    }
    progress.line("wrote " + outcome.package.string() + " (weights of epoch " +
                  std::to_string(outcome.best_epoch) + ")");
    if (outcome.finished) {
        return 0;
    }
    progress.complain("seesay: stopped early; the same command goes on from here");
    return 3;
}

void add_data_options(CLI::App& command, TrainingRunOptions& options) {
    auto& data = options.data;
    command.add_option("--images", data.images, "Folder with the pictures")
        ->required()
        ->check(CLI::ExistingDirectory)
        ->group("Data");
    command
        .add_option("--captions", data.captions,
                    "Captions: TSV (image, tab, caption), Karpathy JSON or COCO JSON")
        ->required()
        ->check(CLI::ExistingFile)
        ->group("Data");
    command
        .add_option("--train-list", data.training_list,
                    "Names of the pictures to train on, one a line (default: all that are not for "
                    "evaluation)")
        ->check(CLI::ExistingFile)
        ->group("Data");
    command
        .add_option("--evaluation-list", data.evaluation_list,
                    "Names of the pictures that training must not see; the package's figures are "
                    "measured on them (default: val and test of a file with splits)")
        ->check(CLI::ExistingFile)
        ->group("Data");
    command
        .add_option("--held-out", data.held_out,
                    "Training pictures set aside to choose the best epoch")
        ->capture_default_str()
        ->group("Data");
    command.add_option("--language", data.language, "Language of the captions, BCP 47")
        ->capture_default_str()
        ->group("Data");
    command
        .add_option("--minimum-count", options.training.minimum_count,
                    "A word must occur so often to be in the vocabulary")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str()
        ->group("Data");
    command
        .add_option("--maximum-length", options.training.maximum_length,
                    "Captions are cut after so many words")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str()
        ->group("Data");
    command.add_option("--data-name", options.data_name, "Name of the data, for the model card")
        ->capture_default_str()
        ->group("Data");
    command.add_option("--data-terms", options.data_terms, "Terms of the data, for the model card")
        ->capture_default_str()
        ->group("Data");
    command.add_option("--recipe", options.command, "How to run this again, for the model card")
        ->group("Data");
}

void add_output_options(CLI::App& command, TrainingRunOptions& options) {
    command.add_option("-o,--output", options.output, "Folder of the captioner package to write")
        ->required()
        ->group("Output");
    command.add_option("--name", options.name, "Name of the package (default: the folder's name)")
        ->group("Output");
    command
        .add_option("--work", options.work,
                    "Folder for state, log and best weights; a run that was stopped goes on from "
                    "it (default: OUTPUT.work)")
        ->group("Output");
    command
        .add_option(
            "--cache", options.cache,
            "Folder for the pictures' features; several runs can share it (default: WORK/features)")
        ->group("Output");
    command.add_flag("--force", options.replace, "Replace an existing package")->group("Output");
}

/// What the network options said; defaults depend on the architecture.
struct NetworkArguments {
    std::string architecture = "show-attend-tell";
    std::map<std::string, std::int64_t> sizes;  ///< by key of model.json
    std::map<std::string, bool> options;        ///< likewise
};

/// An option for one of the sizes of model.json, named as its key.
struct SizeOption {
    const char* name;
    const char* key;
    const char* text;
    std::int64_t least;
};

constexpr SizeOption kSizeOptions[] = {
    {"--projection", "projection",
     "Width of the learned projection of the encoder's vectors; 0: none (show-attend-tell: 512)",
     0},
    {"--attention", "attention",
     "Width of the attention network (show-attend-tell, att2in, up-down: 256)", 1},
    {"--hidden", "hidden", "Width of the LSTMs (512; nic: 320)", 1},
    {"--embedding", "embedding", "Width of the word vectors (512; nic: 320)", 1},
    {"--width", "width", "Width of the vectors between layers (transformer: 192)", 2},
    {"--heads", "heads", "Heads of each attention (transformer: 4)", 1},
    {"--feed-forward", "feed_forward", "Width inside feed-forward layers (transformer: 768)", 1},
    {"--encoder-layers", "encoder_layers", "Layers over the picture (transformer: 1)", 1},
    {"--decoder-layers", "decoder_layers", "Layers over the words (transformer: 3)", 1}};

void add_network_options(CLI::App& command, TrainingRunOptions& options,
                         NetworkArguments& network) {
    command
        .add_option("--encoder", options.encoder,
                    "Encoder package (default: that of --initial, else encoder-lite2)")
        ->group("Network");
    auto* initial =
        command
            .add_option("--initial", options.initial,
                        "Captioner package to start from: its vocabulary, sizes and weights")
            ->group("Network");
    std::vector<std::string> names;
    for (const auto& architecture : language::architectures()) {
        names.push_back(architecture.name);
    }
    command.add_option("--architecture", network.architecture, "The captioner's architecture")
        ->check(CLI::IsMember(names))
        ->excludes(initial)
        ->capture_default_str()
        ->group("Network");
    for (const SizeOption& size : kSizeOptions) {
        command
            .add_option_function<std::int64_t>(
                size.name,
                [&network, key = size.key](std::int64_t value) { network.sizes[key] = value; },
                size.text)
            ->check(CLI::Range(size.least, std::int64_t{8192}))
            ->excludes(initial)
            ->group("Network");
    }
    command
        .add_flag_function(
            "--tied-output,!--separate-output",
            [&network](std::int64_t count) { network.options["tied_output"] = count > 0; },
            "The output matrix is the word vectors' (default where there is a choice) or a matrix "
            "of its own")
        ->excludes(initial)
        ->group("Network");
    command
        .add_flag_function(
            "--tanh-output,!--linear-output",
            [&network](std::int64_t count) { network.options["deep_output"] = count > 0; },
            "Deep output with tanh (the authors' code) or without (the paper; default)")
        ->excludes(initial)
        ->group("Network");
    command
        .add_option("--fine-tune-from", options.fine_tune_from,
                    "Train the encoder's blocks from this one on too; -1: none")
        ->check(CLI::Range(-1, 1000))
        ->capture_default_str()
        ->group("Network");
    command
        .add_option("--encoder-output", options.encoder_output,
                    "Folder of the tuned encoder's package")
        ->group("Network");
}

/// The network that the arguments ask for. An option that the architecture does not have is a
/// mistake.
training::NetworkStatement network_of(const NetworkArguments& arguments) {
    auto network = training::default_network(arguments.architecture);
    for (const SizeOption& size : kSizeOptions) {
        const auto given = arguments.sizes.find(size.key);
        if (given == arguments.sizes.end()) {
            continue;
        }
        if (!network.sizes.contains(size.key)) {
            throw CLI::ValidationError(size.name,
                                       "does not go with --architecture " + arguments.architecture);
        }
        network.sizes[size.key] = given->second;
    }
    for (const auto& [key, value] : arguments.options) {
        if (!network.options.contains(key)) {
            throw CLI::ValidationError(key == "tied_output" ? "--tied-output" : "--tanh-output",
                                       "does not go with --architecture " + arguments.architecture);
        }
        network.options[key] = key == "deep_output" ? nlohmann::json(value ? "tanh" : "linear")
                                                    : nlohmann::json(value);
    }
    if (network.sizes.value("projection", 1) == 0) {
        network.sizes["projection"] = nullptr;
        network.options["projection_norm"] = false;
    }
    return network;
}

void add_objective_options(CLI::App& command, TrainingRunOptions& options) {
    static const std::map<std::string, training::Objective> kObjectives{
        {"cross-entropy", training::Objective::CrossEntropy},
        {"self-critical", training::Objective::SelfCritical}};
    static const std::map<std::string, training::Baseline> kBaselines{
        {"others", training::Baseline::OtherSamples}, {"greedy", training::Baseline::Greedy}};
    auto& t = options.training;
    const std::string group = "Objective";
    command
        .add_option("--objective", t.objective,
                    "cross-entropy: the next word of the captions (default); self-critical: "
                    "captions that are drawn and rewarded, starting from --initial")
        ->transform(CLI::Transformer(kObjectives))
        ->group(group);
    command
        .add_option("--samples", t.self_critical.samples,
                    "Captions drawn for each picture and step (default: 5)")
        ->check(CLI::Range(1, 100))
        ->group(group);
    command
        .add_option("--baseline", t.self_critical.baseline,
                    "A caption is compared with the mean of the others (default) or the greedy one")
        ->transform(CLI::Transformer(kBaselines))
        ->group(group);
    command
        .add_option("--reward-cider", t.self_critical.cider_d,
                    "Weight of CIDEr-D in the reward (default: 1)")
        ->check(number_within(0.0, 1000.0, "from 0 to 1000"))
        ->group(group);
    command
        .add_option("--reward-bleu", t.self_critical.bleu_4,
                    "Weight of the caption's BLEU-4 in the reward (default: 0)")
        ->check(number_within(0.0, 1000.0, "from 0 to 1000"))
        ->group(group);
    command
        .add_option("--scheduled-sampling", t.scheduled_sampling,
                    "Probability that the network's own word is fed instead of the caption's "
                    "(default: 0)")
        ->check(number_within(0.0, 1.0, "from 0 to 1"))
        ->group(group);
    command
        .add_option("--drawn-places", t.hard_attention.drawn,
                    "Hard attention: probability that a caption looks at one drawn place a word "
                    "instead of the mean over places (the paper: 0.5; default 0: soft attention)")
        ->check(number_within(0.0, 1.0, "from 0 to 1"))
        ->group(group);
    command
        .add_option("--place-reward", t.hard_attention.reinforce,
                    "Hard attention: weight of the reward of drawn places (default: 0.1)")
        ->check(number_within(0.0, 1000.0, "from 0 to 1000"))
        ->group(group);
    command
        .add_option("--place-entropy", t.hard_attention.entropy,
                    "Hard attention: weight of the attention's entropy (default: 0.002)")
        ->check(number_within(0.0, 1000.0, "from 0 to 1000"))
        ->group(group);
}

// An option that the chosen objective does not read is a mistake, not a wish to be ignored.
void check_objective_options(const CLI::App& command, const TrainingRunOptions& options) {
    const bool self_critical = options.training.objective == training::Objective::SelfCritical;
    const std::vector<std::string> drawn{"--samples", "--baseline", "--reward-cider",
                                         "--reward-bleu"};
    const std::vector<std::string> forced{
        "--doubly-stochastic", "--label-smoothing", "--dropout-features",  "--dropout-embedding",
        "--dropout-hidden",    "--dropout-output",  "--dropout-words",     "--drawn-places",
        "--place-reward",      "--place-entropy",   "--scheduled-sampling"};
    for (const auto& name : self_critical ? forced : drawn) {
        if (command.count(name) > 0) {
            throw CLI::ValidationError(
                name, std::string("does not go with --objective ")
                          .append(self_critical ? "self-critical" : "cross-entropy"));
        }
    }
    for (const char* name : {"--place-reward", "--place-entropy"}) {
        if (command.count(name) > 0 && options.training.hard_attention.drawn == 0) {
            throw CLI::ValidationError(name, "needs --drawn-places");
        }
    }
    if (options.training.hard_attention.drawn > 0 && options.training.scheduled_sampling > 0) {
        throw CLI::ValidationError("--scheduled-sampling", "does not go with --drawn-places");
    }
    if (self_critical && options.initial.empty()) {
        throw CLI::ValidationError("--objective",
                                   "self-critical training needs --initial, a captioner that can "
                                   "already speak");
    }
}

void add_optimisation_options(CLI::App& command, TrainingRunOptions& options) {
    auto& t = options.training;
    const auto rate = number_within(0.0, 1.0, "from 0 to 1");
    const auto dropout = number_within(0.0, 0.95, "from 0 to 0.95");
    const std::string group = "Optimisation";
    command.add_option("--epochs", t.epochs, "Times over the training pictures")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--pictures-per-step", t.pictures_per_step,
                    "Pictures a step, each with all its captions")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--views", t.views,
                    "Views of each picture (crops, stretches, mirror images), one at random a step")
        ->check(CLI::Range(1, 100))
        ->capture_default_str()
        ->group(group);
    command.add_option("--learning-rate", t.learning_rate, "Adam's learning rate at its height")
        ->check(rate)
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--encoder-learning-rate", t.encoder_learning_rate,
                    "The same of the tuned encoder blocks")
        ->check(rate)
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--final-rate", t.final_rate,
                    "Fraction of the learning rate at the end of the cosine schedule")
        ->check(rate)
        ->capture_default_str()
        ->group(group);
    command.add_option("--warm-up", t.warm_up_steps, "Steps over which the learning rate rises")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str()
        ->group(group);
    command.add_option("--clip", t.clip, "Largest norm of the gradient")
        ->check(number_within(1e-6, 1e9, "above 0"))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--doubly-stochastic", t.doubly_stochastic,
                    "Weight of the doubly stochastic attention term")
        ->check(number_within(0.0, 1e9, "of 0 or more"))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--label-smoothing", t.label_smoothing,
                    "Probability spread evenly over the vocabulary")
        ->check(number_within(0.0, 0.99, "from 0 to 0.99"))
        ->capture_default_str()
        ->group(group);
    command.add_option("--weight-decay", t.weight_decay, "Decoupled weight decay on matrices")
        ->check(rate)
        ->capture_default_str()
        ->group(group);
    command
        .add_option(
            "--average", t.average_decay,
            "Decay of the running mean of the weights that is kept; 0: keep the last weights")
        ->check(number_within(0.0, 0.99999, "from 0 to 0.99999"))
        ->capture_default_str()
        ->group(group);
    auto& d = options.dropout;
    command
        .add_option("--dropout-features", d.features,
                    "Dropout on the encoder's vectors (default: 0; transformer: 0.1)")
        ->check(dropout)
        ->group(group);
    command
        .add_option("--dropout-embedding", d.embedding,
                    "Dropout on the previous word's vector (default: 0.5; transformer: 0.1)")
        ->check(dropout)
        ->group(group);
    command
        .add_option("--dropout-hidden", d.hidden,
                    "Dropout on the LSTM's output (default: 0.5), or in the layers of a "
                    "transformer (0.1)")
        ->check(dropout)
        ->group(group);
    command
        .add_option("--dropout-output", d.output,
                    "Dropout before the vocabulary (default: 0.5; show-attend-tell only)")
        ->check(dropout)
        ->group(group);
    command
        .add_option("--dropout-words", d.words,
                    "Probability that a previous word is hidden (default: 0)")
        ->check(dropout)
        ->group(group);
    command
        .add_option("--patience", t.patience,
                    "Stop after so many epochs without a better held-out CIDEr-D; 0: never")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str()
        ->group(group);
    command.add_option("--seed", t.seed, "Seed of all random choices")
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--time-limit", t.time_limit_minutes,
                    "Stop in good order after so many minutes; 0: no limit")
        ->check(number_within(0.0, 1e9, "of 0 or more"))
        ->capture_default_str()
        ->group(group);
}

void add_machine_options(CLI::App& command, TrainingRunOptions& options) {
    command.add_option("--device", options.device, "auto, cpu, cuda or cuda:N")
        ->capture_default_str()
        ->group("Machine");
    command.add_option("--threads", options.training.threads, "CPU threads; 0: one a core")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str()
        ->group("Machine");
}

void add_decoding_options(CLI::App& command, TrainingRunOptions& options) {
    auto& decoding = options.decoding;
    command
        .add_option("--beam", decoding.beam,
                    "The package's default beam width, used on the held-out pictures too")
        ->check(CLI::Range(1, 100))
        ->capture_default_str()
        ->group("Decoding");
    command
        .add_option("--length-exponent", decoding.length_exponent,
                    "Sentences rank by log-probability / length^exponent")
        ->check(number_within(0.0, 5.0, "from 0 to 5"))
        ->capture_default_str()
        ->group("Decoding");
}

}  // namespace

void add_train_command(CLI::App& app, std::function<int()>& run) {
    auto options = std::make_shared<TrainingRunOptions>();
    auto network = std::make_shared<NetworkArguments>();
    auto quiet = std::make_shared<bool>(false);
    options->data_name = "unnamed data";
    options->data_terms = "not stated";
    options->command = "seesay train (options: model.json, key provenance.recipe)";
    CLI::App* command =
        app.add_subcommand("train", "Train a captioner package on pictures with captions");
    command->footer(
        "Weights, optimiser and position are kept in the work folder: after a stop or a kill the "
        "same command goes on\n"
        "and computes what it would have computed. Exit code 3: stopped early, the package holds "
        "the best so far.");
    add_data_options(*command, *options);
    add_output_options(*command, *options);
    add_network_options(*command, *options, *network);
    add_objective_options(*command, *options);
    add_optimisation_options(*command, *options);
    add_decoding_options(*command, *options);
    add_machine_options(*command, *options);
    refuse_empty_values(*command);
    command->add_flag("--quiet", *quiet, "No progress");
    command->callback([options, network, quiet, command, &run] {
        check_objective_options(*command, *options);
        options->training.network = network_of(*network);
        auto output = options->output;
        if (!output.has_filename()) {
            output = output.parent_path();
        }
        options->output = output;
        if (options->work.empty()) {
            options->work = output.string() + ".work";
        }
        if (options->cache.empty()) {
            options->cache = options->work / "features";
        }

        run = [options, quiet] { return train(*options, *quiet); };
    });
}

}  // namespace seesay::tools
