// Choice of parts and output of `seesay bench`.
#include "tools/bench_command.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench_parts.hpp"
#include "tools/openmp_policy.hpp"

namespace seesay::tools {
namespace {

struct Part {
    const char* name;
    BenchLines (*measure)(const BenchOptions&);
    bool needs_film;
};

constexpr Part kParts[] = {{"encoder", bench_encoder_part, false},
                           {"decoder", bench_decoder_part, false},
                           {"overlay", bench_overlay_part, false},
                           {"film", bench_film_part, true},
                           {"memory", bench_memory_part, true}};

struct BenchChoice {
    BenchOptions options;
    std::vector<std::string> only;
    bool json = false;
};

bool wanted(const BenchChoice& choice, const Part& part) {
    if (choice.only.empty()) {
        // Without a film what needs one is left out, unless it was asked for by name.
        return !part.needs_film || !choice.options.film.empty();
    }
    return std::find(choice.only.begin(), choice.only.end(), part.name) != choice.only.end();
}

void print(const BenchLine& line) {
    std::printf("%-8s %-62s %7s  %-7s %-3s  %s\n", line.part.c_str(), line.what.c_str(),
                decimals(line.value, 3).c_str(), line.target.c_str(),
                line.target.empty() ? ""
                : line.met          ? "met"
                                    : "NOT",
                line.times.c_str());
    std::fflush(stdout);
}

int bench(const BenchChoice& choice) {
    set_openmp_policy(OpenMpUse::Inference);
    auto document = nlohmann::ordered_json::array();
    bool met = true;
    for (const Part& part : kParts) {
        if (!wanted(choice, part)) {
            continue;
        }
        for (const BenchLine& line : part.measure(choice.options)) {
            met = met && line.met;
            document.push_back({{"part", line.part},
                                {"what", line.what},
                                {"value", line.value},
                                {"target", line.target},
                                {"met", line.met},
                                {"times", line.times}});
            if (!choice.json) {
                print(line);
            }
        }
    }
    if (choice.json) {
        std::printf("%s\n", document.dump(2).c_str());
    }
    return met ? 0 : 1;
}

}  // namespace

void add_bench_command(CLI::App& app, std::function<int()>& run) {
    auto choice = std::make_shared<BenchChoice>();
    CLI::App* command = app.add_subcommand(
        "bench", "Measure what captioning costs on this machine, as ratios in one run");
    std::vector<std::string> names;
    for (const Part& part : kParts) {
        names.emplace_back(part.name);
    }
    command->add_option("--only", choice->only, "Parts to measure (default: all that can be)")
        ->delimiter(',')
        ->check(CLI::IsMember(names));
    command
        ->add_option("--film", choice->options.film,
                     "Film for the film and memory parts (tools/make_bench_film.sh makes one)")
        ->check(CLI::ExistingFile);
    command->add_option("--package", choice->options.package, "Captioner package")
        ->capture_default_str();
    command->add_option("--rounds", choice->options.rounds, "Rounds of each part")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_flag("--json", choice->json, "As JSON");
    command->footer("Run it on a quiet machine. Exit code 1: a target was not met.");
    command->callback([choice, &run] { run = [choice] { return bench(*choice); }; });
}

}  // namespace seesay::tools
