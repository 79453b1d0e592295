// Reading of captioner packages.
#include "models/language/captioner_package.hpp"

#include <torch/torch.h>

#include <utility>

#include "models/error.hpp"
#include "models/language/architectures.hpp"
#include "models/language/decoding.hpp"
#include "models/language/show_attend_tell.hpp"
#include "models/language/show_attend_tell_captioner.hpp"
#include "models/language/torch_captioner.hpp"
#include "models/weights/finite.hpp"
#include "models/weights/json_fields.hpp"
#include "models/weights/package_manifest.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/torch_tensor.hpp"

namespace seesay::language {
namespace {

std::string text_of(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + "]";
}

at::Tensor values_of(const weights::NamedTensor& tensor, const std::string& origin) {
    if (tensor.type != weights::DataType::F16 && tensor.type != weights::DataType::BF16 &&
        tensor.type != weights::DataType::F32 && tensor.type != weights::DataType::F64) {
        throw Error(origin + ": tensor " + weights::printable(tensor.name) + " is of type " +
                    weights::name_of(tensor.type) + "; a floating-point type is needed");
    }
    if (const auto index = weights::first_non_finite(tensor)) {
        throw Error(origin + ": tensor " + weights::printable(tensor.name) +
                    " is not finite at element " + std::to_string(*index));
    }
    return weights::to_tensor(tensor, at::kFloat).contiguous();
}

// Fills the network after comparing names and shapes with what it expects.
void fill(CaptionNetwork& network, const CaptionerParts& parts) {
    const auto expected = network.named_parameters();
    for (const auto& [name, tensor] : parts.tensors) {
        if (!expected.contains(name)) {
            throw Error(parts.origin + ": tensor " + weights::printable(name) +
                        " does not belong to a " + parts.architecture +
                        " network with these sizes and options");
        }
    }
    const torch::NoGradGuard no_gradient;
    for (const auto& item : expected) {
        const std::vector<std::int64_t> shape = item.value().sizes().vec();
        const auto found = parts.tensors.find(item.key());
        if (found == parts.tensors.end()) {
            throw Error(parts.origin + ": tensor " + weights::printable(item.key()) + " " +
                        text_of(shape) + " is missing");
        }
        if (found->second.shape != shape) {
            throw Error(parts.origin + ": tensor " + weights::printable(item.key()) +
                        " has shape " + text_of(found->second.shape) +
                        ", but the sizes in model.json need " + text_of(shape));
        }
        at::Tensor parameter = item.value();
        parameter.set_data(values_of(found->second, parts.origin));
    }
}

// The hand-written steps for the networks that they can do.
std::unique_ptr<Captioner> fast_captioner(const CaptionNetwork& network,
                                          const CaptionerParts& parts) {
    const auto* show_attend_tell = dynamic_cast<const ShowAttendTell*>(&network);
    if (show_attend_tell == nullptr || !show_attend_tell->sizes().is_papers()) {
        return nullptr;
    }
    const ShowAttendTellSizes& sizes = show_attend_tell->sizes();
    ShowAttendTellShape shape;
    shape.features = static_cast<int>(sizes.features);
    shape.projection = static_cast<int>(sizes.projection);
    shape.attention = static_cast<int>(sizes.attention);
    shape.hidden = static_cast<int>(sizes.hidden);
    shape.embedding = static_cast<int>(sizes.embedding);
    shape.vocabulary = static_cast<int>(sizes.vocabulary);
    shape.projection_norm = sizes.projection_norm;
    shape.tanh_output = sizes.tanh_output;
    shape.tied_output = sizes.tied_output;
    shape.most_likely_place = sizes.most_likely_place;
    TensorValues values;
    for (const auto& item : network.named_parameters()) {
        const auto* data = item.value().data_ptr<float>();
        values[item.key()].assign(data, data + item.value().numel());
    }
    return std::make_unique<ShowAttendTellCaptioner>(parts.identity, parts.vocabulary,
                                                     parts.decoding, shape, values);
}

}  // namespace

std::unique_ptr<Captioner> make_captioner(const CaptionerParts& parts) {
    auto network = make_network(parts.architecture, parts.sizes, parts.options, parts.origin, {},
                                parts.vocabulary.unknown(), Initialisation::None);
    parts.vocabulary.require_size(network->vocabulary());
    check(parts.decoding);
    fill(*network, parts);
    if (auto captioner = fast_captioner(*network, parts)) {
        return captioner;
    }
    return std::make_unique<TorchCaptioner>(parts.identity, parts.vocabulary, parts.decoding,
                                            std::move(network));
}

std::unique_ptr<Captioner> load_captioner(const weights::ModelPackage& package,
                                          const nlohmann::json& options) {
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
        package.manifest().value("options", nlohmann::json::object()),
        package.tensors().tensors(),
        Vocabulary::parse(package.read_text(weights::vocabulary_name),
                          (package.folder() / weights::vocabulary_name).string()),
        read_decoding_options(package.manifest().at("decoding"), manifest_file),
        {package.name(), package.sha256(), encoder.string("name"), encoder.string("sha256")}};
    if (!options.is_null()) {
        parts.options.update(options);
    }
    if (parts.vocabulary.language() != manifest.string("language")) {
        manifest.fail("language", "differs from the vocabulary's, " +
                                      weights::printable(parts.vocabulary.language()));
    }
    return make_captioner(parts);
}

}  // namespace seesay::language
