// Sizes and names of the element types that checkpoint files hold.
#include "models/weights/named_tensor.hpp"

namespace seesay::weights {

std::size_t size_of(DataType type) {
    switch (type) {
        case DataType::Bool:
        case DataType::U8:
        case DataType::I8:
            return 1;
        case DataType::I16:
        case DataType::F16:
        case DataType::BF16:
            return 2;
        case DataType::I32:
        case DataType::F32:
            return 4;
        case DataType::I64:
        case DataType::F64:
            return 8;
    }
    return 0;
}

const char* name_of(DataType type) {
    switch (type) {
        case DataType::Bool:
            return "BOOL";
        case DataType::U8:
            return "U8";
        case DataType::I8:
            return "I8";
        case DataType::I16:
            return "I16";
        case DataType::I32:
            return "I32";
        case DataType::I64:
            return "I64";
        case DataType::F16:
            return "F16";
        case DataType::BF16:
            return "BF16";
        case DataType::F32:
            return "F32";
        case DataType::F64:
            return "F64";
    }
    return "?";
}

std::int64_t NamedTensor::count() const {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) {
        product *= size;
    }
    return product;
}

}  // namespace seesay::weights
