// Finding an encoder by name and checking it by hash.
#include "models/weights/encoder_reference.hpp"

#include "models/error.hpp"

namespace seesay::weights {

ModelPackage open_encoder_of(const ModelPackage& package) {
    if (package.kind() == PackageKind::Encoder) {
        return package;
    }
    const auto name = package.manifest().at("encoder").at("name").get<std::string>();
    const auto expected = package.manifest().at("encoder").at("sha256").get<std::string>();
    auto folder = package.folder() / ".." / name;
    if (!std::filesystem::exists(folder / "model.json")) {
        folder = find_package(name);
    }
    auto encoder = ModelPackage::open(folder);
    if (encoder.kind() != PackageKind::Encoder) {
        throw Error(folder.string() + ": the captioner '" + package.name() +
                    "' needs the encoder '" + name + "', but this is a captioner package");
    }
    if (encoder.sha256() != expected) {
        throw Error(folder.string() + ": the captioner '" + package.name() +
                    "' was trained with another '" + name + "' (expected SHA-256 " + expected +
                    ", found " + encoder.sha256() + "); install the encoder that belongs to it");
    }
    return encoder;
}

}  // namespace seesay::weights
