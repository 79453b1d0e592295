// Reading of captioner packages.
#include "models/language/captioner_package.hpp"

#include <torch/torch.h>

#include <utility>

#include "models/error.hpp"
#include "models/language/decoding.hpp"
#include "models/language/show_attend_tell_captioner.hpp"
#include "models/weights/finite.hpp"
#include "models/weights/json_fields.hpp"
#include "models/weights/package_manifest.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/torch_tensor.hpp"

namespace seesay::language {
namespace {

constexpr const char* kShowAttendTell = "show-attend-tell";
constexpr std::int64_t kLargestSize = 65'536;
constexpr std::int64_t kLargestVocabulary = 1'000'000;

std::string text_of(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + "]";
}

/// Sizes and options of a Show-Attend-Tell network.
ShowAttendTellShape read_shape(const CaptionerParts& parts) {
    const weights::JsonFields sizes(parts.sizes, parts.origin, "sizes");
    const auto size = [&](const char* key) {
        return static_cast<int>(sizes.integer(key, 1, kLargestSize));
    };
    ShowAttendTellShape shape;
    shape.features = size("features");
    shape.projection =
        sizes.has("projection") && sizes.json().at("projection").is_null() ? 0 : size("projection");
    shape.attention = size("attention");
    shape.hidden = size("hidden");
    shape.embedding = size("embedding");
    shape.vocabulary = static_cast<int>(sizes.integer("vocabulary", 1, kLargestVocabulary));
    shape.projection_norm = shape.projection > 0;
    if (parts.options.is_null()) {
        return shape;
    }
    const weights::JsonFields options(parts.options, parts.origin, "options");
    if (options.has("deep_output")) {
        shape.tanh_output = options.choice("deep_output", {"linear", "tanh"}) == "tanh";
    }
    if (options.has("tied_output")) {
        shape.tied_output = options.boolean("tied_output");
    }
    if (options.has("projection_norm")) {
        shape.projection_norm = options.boolean("projection_norm");
    }
    if (shape.projection_norm && shape.projection == 0) {
        options.fail("projection_norm", "is true, but there is no projection");
    }
    return shape;
}

std::vector<float> values_of(const weights::NamedTensor& tensor, const std::string& origin) {
    if (tensor.type != weights::DataType::F16 && tensor.type != weights::DataType::BF16 &&
        tensor.type != weights::DataType::F32 && tensor.type != weights::DataType::F64) {
        throw Error(origin + ": tensor " + weights::printable(tensor.name) + " is of type " +
                    weights::name_of(tensor.type) + "; a floating-point type is needed");
    }
    if (const auto index = weights::first_non_finite(tensor)) {
        throw Error(origin + ": tensor " + weights::printable(tensor.name) +
                    " is not finite at element " + std::to_string(*index));
    }
    const at::Tensor floats = weights::to_tensor(tensor, at::kFloat).contiguous();
    const auto* data = floats.data_ptr<float>();
    return {data, data + floats.numel()};
}

/// All tensors of the network as floats, after comparing names and shapes with what is expected.
TensorValues read_values(const CaptionerParts& parts,
                         const std::map<std::string, std::vector<std::int64_t>>& expected) {
    for (const auto& [name, tensor] : parts.tensors) {
        if (!expected.contains(name)) {
            throw Error(parts.origin + ": tensor " + weights::printable(name) +
                        " does not belong to a " + parts.architecture +
                        " network with these sizes and options");
        }
    }
    TensorValues values;
    for (const auto& [name, shape] : expected) {
        const auto found = parts.tensors.find(name);
        if (found == parts.tensors.end()) {
            throw Error(parts.origin + ": tensor " + weights::printable(name) + " " +
                        text_of(shape) + " is missing");
        }
        if (found->second.shape != shape) {
            throw Error(parts.origin + ": tensor " + weights::printable(name) + " has shape " +
                        text_of(found->second.shape) + ", but the sizes in model.json need " +
                        text_of(shape));
        }
        values.emplace(name, values_of(found->second, parts.origin));
    }
    return values;
}

}  // namespace

std::unique_ptr<Captioner> make_captioner(const CaptionerParts& parts) {
    if (parts.architecture != kShowAttendTell) {
        throw Error(parts.origin + ": captioner architecture " +
                    weights::printable(parts.architecture) + " is not known; known is " +
                    kShowAttendTell);
    }
    const ShowAttendTellShape shape = read_shape(parts);
    parts.vocabulary.require_size(shape.vocabulary);
    check(parts.decoding);
    return std::make_unique<ShowAttendTellCaptioner>(parts.identity, parts.vocabulary,
                                                     parts.decoding, shape,
                                                     read_values(parts, shape.tensors()));
}

std::unique_ptr<Captioner> load_captioner(const weights::ModelPackage& package) {
    const std::string origin = package.folder().string();
    if (package.kind() != weights::PackageKind::Captioner) {
        throw Error(origin + ": package " + package.name() +
                    " is an encoder; a captioner package is needed");
    }
    const std::string manifest_file = (package.folder() / weights::manifest_name).string();
    const weights::JsonFields manifest(package.manifest(), manifest_file);
    const weights::JsonFields encoder = manifest.object("encoder");
    CaptionerParts parts{
        manifest_file,
        package.architecture(),
        package.manifest().at("sizes"),
        manifest.has("options") ? package.manifest().at("options") : nlohmann::json(),
        package.tensors().tensors(),
        Vocabulary::parse(package.read_text(weights::vocabulary_name),
                          (package.folder() / weights::vocabulary_name).string()),
        read_decoding_options(package.manifest().at("decoding"), manifest_file),
        {package.name(), package.sha256(), encoder.string("name"), encoder.string("sha256")}};
    if (parts.vocabulary.language() != manifest.string("language")) {
        manifest.fail("language", "differs from the vocabulary's, " +
                                      weights::printable(parts.vocabulary.language()));
    }
    return make_captioner(parts);
}

}  // namespace seesay::language
