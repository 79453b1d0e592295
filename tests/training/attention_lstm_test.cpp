// The attention LSTM's written-out gradient against LibTorch's own, in float64.
#include "models/language/attention_lstm.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace seesay::language {
namespace {

AttentionLstmInputs random_inputs() {
    torch::manual_seed(7);
    const auto make = [](at::IntArrayRef shape) {
        return (torch::randn(shape, torch::kFloat64) * 0.5).requires_grad_(true);
    };
    AttentionLstmInputs in;
    in.annotations = make({3, 4, 5});
    in.projected = make({3, 4, 6});
    in.pictures = torch::tensor({2, 0, 1, 0}, torch::kInt64);
    in.rows = {4, 4, 2, 1};
    in.input_gates = make({11, 4 * 7});
    in.hidden = make({4, 7});
    in.cell = make({4, 7});
    in.recurrent_weight = make({4 * 7, 7});
    in.context_weight = make({4 * 7, 5});
    in.query_weight = make({6, 7});
    in.score_weight = make({6});
    in.gate_weight = make({1, 7});
    in.gate_bias = make({1});
    return in;
}

// Equations 4–6, 8, 9 and 13 written with differentiable operations only.
AttentionLstmOutputs reference(const AttentionLstmInputs& in) {
    const std::int64_t size = in.hidden.size(1);
    at::Tensor hidden = in.hidden, cell = in.cell;
    std::vector<at::Tensor> hiddens, contexts, attentions;
    std::int64_t offset = 0;
    for (const std::int64_t count : in.rows) {
        hidden = hidden.narrow(0, 0, count);
        cell = cell.narrow(0, 0, count);
        const at::Tensor pictures = in.pictures.narrow(0, 0, count);
        const at::Tensor scores =
            torch::tanh(in.projected.index({pictures}) +
                        torch::matmul(hidden, in.query_weight.t()).unsqueeze(1));
        const at::Tensor alpha = torch::softmax(torch::matmul(scores, in.score_weight), 1);
        const at::Tensor beta =
            torch::sigmoid(torch::matmul(hidden, in.gate_weight.t()) + in.gate_bias);
        const at::Tensor context =
            beta * (alpha.unsqueeze(2) * in.annotations.index({pictures})).sum(1);
        const at::Tensor gates = in.input_gates.narrow(0, offset, count) +
                                 torch::matmul(hidden, in.recurrent_weight.t()) +
                                 torch::matmul(context, in.context_weight.t());
        const auto parts = gates.chunk(4, 1);
        cell = torch::sigmoid(parts[1]) * cell + torch::sigmoid(parts[0]) * torch::tanh(parts[2]);
        hidden = torch::sigmoid(parts[3]) * torch::tanh(cell);
        EXPECT_EQ(hidden.size(1), size);
        hiddens.push_back(hidden);
        contexts.push_back(context);
        attentions.push_back(alpha);
        offset += count;
    }
    return {torch::cat(hiddens), torch::cat(contexts), torch::cat(attentions)};
}

std::vector<at::Tensor> differentiable(const AttentionLstmInputs& in) {
    return {in.annotations,  in.projected,        in.input_gates,    in.hidden,
            in.cell,         in.recurrent_weight, in.context_weight, in.query_weight,
            in.score_weight, in.gate_weight,      in.gate_bias};
}

at::Tensor weighted_sum(const AttentionLstmOutputs& out) {
    torch::manual_seed(11);
    return (out.hidden * torch::randn_like(out.hidden)).sum() +
           (out.context * torch::randn_like(out.context)).sum() +
           (out.attention * torch::randn_like(out.attention)).sum();
}

TEST(AttentionLstm, ForwardEqualsTheEquations) {
    const auto in = random_inputs();
    const auto fast = attention_lstm(in);
    const auto slow = reference(in);
    EXPECT_TRUE(torch::allclose(fast.hidden, slow.hidden, 1e-12, 1e-12));
    EXPECT_TRUE(torch::allclose(fast.context, slow.context, 1e-12, 1e-12));
    EXPECT_TRUE(torch::allclose(fast.attention, slow.attention, 1e-12, 1e-12));
}

TEST(AttentionLstm, GradientEqualsAutomaticDifferentiation) {
    const auto in = random_inputs();
    const auto fast = torch::autograd::grad({weighted_sum(attention_lstm(in))}, differentiable(in));
    const auto slow = torch::autograd::grad({weighted_sum(reference(in))}, differentiable(in));
    for (std::size_t i = 0; i < fast.size(); ++i) {
        EXPECT_TRUE(torch::allclose(fast[i], slow[i], 1e-9, 1e-11)) << "input " << i;
    }
}

TEST(AttentionLstm, GradientThroughHiddenStatesAlone) {
    const auto in = random_inputs();
    const auto fast = torch::autograd::grad({attention_lstm(in).hidden.sum()}, differentiable(in));
    const auto slow = torch::autograd::grad({reference(in).hidden.sum()}, differentiable(in));
    for (std::size_t i = 0; i < fast.size(); ++i) {
        EXPECT_TRUE(torch::allclose(fast[i], slow[i], 1e-9, 1e-11)) << "input " << i;
    }
}

}  // namespace
}  // namespace seesay::language
