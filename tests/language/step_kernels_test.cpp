// Step kernels: every set that this processor runs against plain loops in double.
#include "models/language/step_kernels.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <string>

namespace seesay::language {
namespace {

/// Numbers in −1…1 that depend on nothing but their index.
float number(int index) {
    return static_cast<float>((index * 7919 + 13) % 2001 - 1000) / 1000.F;
}

AlignedFloats filled(int size, float scale = 1.F, int offset = 0) {
    AlignedFloats values(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
        values.data()[i] = scale * number(i + offset);
    }
    return values;
}

class StepKernelsTest : public testing::TestWithParam<const StepKernels*> {
 protected:
    const StepKernels& kernels = *GetParam();
};

TEST_P(StepKernelsTest, ExponentialFunctionsAreAccurate) {
    for (float x = -40.F; x <= 40.F; x += 0.37F) {
        AlignedFloats values(kLanes);
        values.data()[3] = x;
        kernels.tanh(values.data(), kLanes);
        EXPECT_NEAR(values.data()[3], std::tanh(x), 2e-7) << x;
        EXPECT_EQ(values.data()[0], 0.F);
    }
}

TEST_P(StepKernelsTest, SoftmaxSumsToOneAndLeavesPaddingZero) {
    for (const int count : {1, 5, 16, 49}) {
        AlignedFloats values = filled(padded(count), 30.F);
        double sum = 0.0;
        for (int i = 0; i < count; ++i) {
            sum += std::exp(static_cast<double>(30.F * number(i)));
        }
        kernels.softmax(values.data(), count);
        for (int i = 0; i < padded(count); ++i) {
            const double expected =
                i < count ? std::exp(static_cast<double>(30.F * number(i))) / sum : 0.0;
            EXPECT_NEAR(values.data()[i], expected, 1e-6) << count << " " << i;
        }
    }
}

TEST_P(StepKernelsTest, LogNormaliserIgnoresPaddingAndScale) {
    for (const int count : {1, 7, 37, 256}) {
        for (const float shift : {0.F, 500.F, -500.F}) {
            AlignedFloats values(static_cast<std::size_t>(padded(count)));
            double sum = 0.0;
            for (int i = 0; i < count; ++i) {
                values.data()[i] = 9.F * number(i) + shift;
                sum += std::exp(static_cast<double>(values.data()[i]) - shift);
            }
            EXPECT_NEAR(kernels.log_normaliser(values.data(), count), std::log(sum) + shift, 1e-4);
        }
    }
}

TEST_P(StepKernelsTest, LogNormaliserIsNotFiniteIfAnyValueIsNot) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const float bad : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
        for (int place = 0; place < 37; ++place) {
            AlignedFloats values = filled(padded(37));
            values.data()[place] = bad;
            EXPECT_FALSE(std::isfinite(kernels.log_normaliser(values.data(), 37))) << place;
        }
    }
}

TEST_P(StepKernelsTest, AttentionAndContextFollowTheirFormulas) {
    constexpr int kPlaces = 7;
    constexpr int kWidth = 32;
    const AlignedFloats projected = filled(kPlaces * kWidth, 2.F);
    const AlignedFloats query = filled(kWidth, 1.F, 50);
    const AlignedFloats score = filled(kWidth, 1.5F, 90);
    AlignedFloats energies(kLanes);
    kernels.attention_energies(projected.data(), kPlaces, kWidth, query.data(), score.data(), 0.25F,
                               energies.data());
    AlignedFloats context(kWidth);
    kernels.weighted_sum(projected.data(), kPlaces, kWidth, energies.data(), 0.5F, context.data());
    for (int i = 0; i < kPlaces; ++i) {
        double expected = 0.25;
        for (int a = 0; a < kWidth; ++a) {
            expected += score.data()[a] * std::tanh(projected.row(i, kWidth)[a] + query.data()[a]);
        }
        EXPECT_NEAR(energies.data()[i], expected, 1e-5);
    }
    for (int p = 0; p < kWidth; ++p) {
        double expected = 0.0;
        for (int i = 0; i < kPlaces; ++i) {
            expected += 0.5 * energies.data()[i] * projected.row(i, kWidth)[p];
        }
        EXPECT_NEAR(context.data()[p], expected, 1e-5);
    }
}

TEST_P(StepKernelsTest, LstmFollowsItsFormula) {
    constexpr int kWidth = 16;
    const AlignedFloats a = filled(4 * kWidth, 1.F);
    const AlignedFloats b = filled(4 * kWidth, 2.F, 100);
    const AlignedFloats c = filled(4 * kWidth, 0.5F, 300);
    AlignedFloats cell = filled(kWidth, 1.F, 500);
    const AlignedFloats before = filled(kWidth, 1.F, 500);
    AlignedFloats hidden(kWidth);
    kernels.lstm(a.data(), b.data(), c.data(), kWidth, cell.data(), hidden.data());
    const auto logistic = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    for (int j = 0; j < kWidth; ++j) {
        const auto gate = [&](int index) {
            const int at = index * kWidth + j;
            return static_cast<double>(a.data()[at]) + b.data()[at] + c.data()[at];
        };
        const double next =
            logistic(gate(1)) * before.data()[j] + logistic(gate(0)) * std::tanh(gate(2));
        EXPECT_NEAR(cell.data()[j], next, 1e-6);
        EXPECT_NEAR(hidden.data()[j], logistic(gate(3)) * std::tanh(next), 1e-6);
    }
}

TEST_P(StepKernelsTest, ProductIsRightForEveryNumberOfRows) {
    constexpr int kOutputs = 112;
    constexpr int kInputs = 48;
    const AlignedFloats panels = filled(kOutputs * kInputs);
    for (int rows = 1; rows <= 13; ++rows) {
        const AlignedFloats x = filled(rows * kInputs, 1.F, 7);
        AlignedFloats y(static_cast<std::size_t>(rows * kOutputs));
        kernels.product(panels.data(), kInputs, 0, kOutputs / kLanes, x.data(), kInputs, rows,
                        y.data(), kOutputs);
        for (int row = 0; row < rows; ++row) {
            for (int output = 0; output < kOutputs; ++output) {
                double expected = 0.0;
                for (int k = 0; k < kInputs; ++k) {
                    const int at = (output / kLanes * kInputs + k) * kLanes + output % kLanes;
                    expected += static_cast<double>(panels.data()[at]) * x.row(row, kInputs)[k];
                }
                EXPECT_NEAR(y.row(row, kOutputs)[output], expected, 1e-5) << rows;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(AllProcessors, StepKernelsTest, testing::ValuesIn(runnable_step_kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(PackedMatrix, GivesTheSameBitsWhateverRowsAndThreadsAreTogether) {
    constexpr int kOutputs = 300;
    constexpr int kInputs = 70;
    AlignedFloats weights = filled(kOutputs * kInputs);
    PackedMatrix matrix(kOutputs, kInputs);
    matrix.set_rows(0, weights.data(), kOutputs, kInputs, kInputs);
    const int stride = matrix.inputs();
    AlignedFloats x = filled(9 * stride, 1.F, 3);
    AlignedFloats together(static_cast<std::size_t>(9 * matrix.outputs()));
    const int before = omp_get_max_threads();
    omp_set_num_threads(3);
    matrix.multiply(x.data(), stride, 9, together.data(), matrix.outputs());
    omp_set_num_threads(1);
    AlignedFloats alone(static_cast<std::size_t>(matrix.outputs()));
    for (int row = 0; row < 9; ++row) {
        matrix.multiply(x.row(row, stride), stride, 1, alone.data(), matrix.outputs());
        for (int output = 0; output < matrix.outputs(); ++output) {
            EXPECT_EQ(alone.data()[output], together.row(row, matrix.outputs())[output]);
        }
    }
    omp_set_num_threads(before);
}

}  // namespace
}  // namespace seesay::language
