// Listing and checking of packages; the architectures that there are.
#include "tools/models_command.hpp"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "models/error.hpp"
#include "models/language/architectures.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::tools {
namespace {

namespace fs = std::filesystem;

std::uintmax_t bytes_of(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        bytes += entry.is_regular_file(error) ? entry.file_size(error) : 0;
    }
    return bytes;
}

nlohmann::ordered_json describe(const fs::path& folder) {
    nlohmann::ordered_json row{{"name", folder.filename().string()},
                               {"path", folder.string()},
                               {"bytes", bytes_of(folder)}};
    try {
        const auto package = weights::ModelPackage::open(folder);
        const bool captioner = package.kind() == weights::PackageKind::Captioner;
        row["name"] = package.name();
        row["kind"] = captioner ? "captioner" : "encoder";
        row["architecture"] = package.architecture();
        if (captioner) {
            row["language"] = package.manifest().value("language", "");
            row["encoder"] = package.manifest().at("encoder").at("name");
        }
        row["sha256"] = package.sha256();
        row["checksums"] = "ok";
    } catch (const std::exception& error) {
        row["checksums"] = "failed";
        row["error"] = error.what();
    }
    return row;
}

std::string text_of(const nlohmann::ordered_json& row, const char* key) {
    return row.contains(key) ? row[key].get<std::string>() : "-";
}

void print_table(const nlohmann::ordered_json& rows) {
    std::printf("%-16s %-10s %-18s %8s  %-9s %s\n", "name", "kind", "architecture", "MB",
                "checksums", "path");
    for (const auto& row : rows) {
        const auto tenths = row["bytes"].get<std::uintmax_t>() / 100000;
        const std::string size = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
        std::printf("%-16s %-10s %-18s %8s  %-9s %s\n", text_of(row, "name").c_str(),
                    text_of(row, "kind").c_str(), text_of(row, "architecture").c_str(),
                    size.c_str(), text_of(row, "checksums").c_str(), text_of(row, "path").c_str());
        if (row.contains("error")) {
            std::printf("    %s\n", text_of(row, "error").c_str());
        }
    }
}

nlohmann::ordered_json describe_architectures() {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& architecture : language::architectures()) {
        for (const auto& flavour : architecture.flavours) {
            rows.push_back({{"architecture", architecture.name},
                            {"flavour", flavour.name},
                            {"parameters", language::parameter_count(architecture.name, flavour)},
                            {"sizes", flavour.sizes},
                            {"options", flavour.options},
                            {"description", architecture.description}});
        }
    }
    return rows;
}

void print_architectures(const nlohmann::ordered_json& rows) {
    std::printf("\n%-18s %-16s %12s  %s\n", "architecture", "flavour", "parameters", "description");
    std::string before;
    for (const auto& row : rows) {
        const std::string name = text_of(row, "architecture");
        std::printf("%-18s %-16s %12lld  %s\n", name == before ? "" : name.c_str(),
                    text_of(row, "flavour").c_str(),
                    static_cast<long long>(row["parameters"].get<std::int64_t>()),
                    name == before ? "" : text_of(row, "description").c_str());
        before = name;
    }
}

int list_models(bool json) {
    auto rows = nlohmann::ordered_json::array();
    bool damaged = false;
    for (const auto& folder : weights::list_packages()) {
        rows.push_back(describe(folder));
        damaged = damaged || rows.back().contains("error");
    }
    if (json) {
        const nlohmann::ordered_json both{{"packages", rows},
                                          {"architectures", describe_architectures()}};
        std::printf("%s\n",
                    both.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
        return damaged ? 1 : 0;
    }
    if (rows.empty()) {
        std::printf("no packages found; looked in:\n");
        for (const auto& folder : weights::package_path()) {
            std::printf("    %s\n", folder.string().c_str());
        }
    } else {
        print_table(rows);
    }
    print_architectures(describe_architectures());
    return damaged ? 1 : 0;
}

}  // namespace

void add_models_command(CLI::App& app, std::function<int()>& run) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand(
        "models",
        "List the model packages found here and check them; list the captioner architectures");
    command->add_flag("--json", *json, "As JSON");
    command->callback([json, &run] { run = [json] { return list_models(*json); }; });
}

}  // namespace seesay::tools
