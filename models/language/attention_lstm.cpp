// Forward and backward passes of the attention LSTM as one autograd function.
#include "models/language/attention_lstm.hpp"

#include <ATen/Parallel.h>
#include <torch/torch.h>

namespace seesay::language {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// What one step leaves behind for the backward pass.
struct Step {
    at::Tensor hidden_before, cell_before, gates, cell_tanh, scores_tanh, attention, plain_context,
        beta;
};

// The three products with h_{t−1} (recurrent gates, attention query, gate β) are one product with
// the stacked weights.
at::Tensor stacked_weights(const at::Tensor& recurrent, const at::Tensor& query,
                           const at::Tensor& gate) {
    return at::cat({recurrent, query, gate}, 0);
}

// dpre = de · w · (1 − s²), added to the projected vectors' gradient and summed over places for the
// query's.
template <typename scalar_t>
void score_backward(const at::Tensor& score_gradient, const at::Tensor& scores_tanh,
                    const at::Tensor& weight, at::Tensor& projected_gradient,
                    at::Tensor& query_gradient) {
    const std::int64_t places = scores_tanh.size(1);
    const std::int64_t width = scores_tanh.size(2);
    const auto* de = score_gradient.data_ptr<scalar_t>();
    const auto* tanh = scores_tanh.data_ptr<scalar_t>();
    const auto* w = weight.data_ptr<scalar_t>();
    auto* projected = projected_gradient.data_ptr<scalar_t>();
    auto* query = query_gradient.data_ptr<scalar_t>();
    at::parallel_for(0, scores_tanh.size(0), 4, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            scalar_t* __restrict row_query = query + row * width;
            for (std::int64_t place = 0; place < places; ++place) {
                const scalar_t factor = de[row * places + place];
                const scalar_t* __restrict s = tanh + (row * places + place) * width;
                scalar_t* __restrict out = projected + (row * places + place) * width;
                for (std::int64_t k = 0; k < width; ++k) {
                    const scalar_t gradient = factor * w[k] * (scalar_t(1) - s[k] * s[k]);
                    out[k] += gradient;
                    row_query[k] += gradient;
                }
            }
        }
    });
}

class AttentionLstmFunction : public torch::autograd::Function<AttentionLstmFunction> {
 public:
    static tensor_list forward(AutogradContext* context, const at::Tensor& annotations,
                               const at::Tensor& projected, const at::Tensor& input_gates,
                               const at::Tensor& hidden0, const at::Tensor& cell0,
                               const at::Tensor& recurrent_weight, const at::Tensor& context_weight,
                               const at::Tensor& query_weight, const at::Tensor& score_weight,
                               const at::Tensor& gate_weight, const at::Tensor& gate_bias,
                               const at::Tensor& pictures, std::vector<std::int64_t> rows) {
        const std::int64_t size = hidden0.size(1);
        const std::int64_t width = query_weight.size(0);
        const at::Tensor stacked =
            stacked_weights(recurrent_weight, query_weight, gate_weight).t().contiguous();
        const at::Tensor context_weight_t = context_weight.t().contiguous();
        const at::Tensor vectors = annotations.index_select(0, pictures);  // [R, L, P]
        const at::Tensor keys = projected.index_select(0, pictures);       // [R, L, A]

        auto steps = std::make_shared<std::vector<Step>>();
        tensor_list hidden_out, context_out, attention_out;
        at::Tensor hidden = hidden0;
        at::Tensor cell = cell0;
        std::int64_t offset = 0;
        for (const std::int64_t count : rows) {
            Step step;
            step.hidden_before = hidden.narrow(0, 0, count);
            step.cell_before = cell.narrow(0, 0, count);
            const at::Tensor product = at::mm(step.hidden_before, stacked);
            const at::Tensor query = product.narrow(1, 4 * size, width);
            step.beta = at::sigmoid(product.narrow(1, 4 * size + width, 1) + gate_bias);
            step.scores_tanh = (keys.narrow(0, 0, count) + query.unsqueeze(1)).tanh_();
            step.attention = at::softmax(at::matmul(step.scores_tanh, score_weight), 1);
            step.plain_context =
                at::bmm(step.attention.unsqueeze(1), vectors.narrow(0, 0, count)).squeeze(1);
            const at::Tensor gated = step.plain_context * step.beta;

            at::Tensor gates =
                product.narrow(1, 0, 4 * size) + input_gates.narrow(0, offset, count);
            gates.addmm_(gated, context_weight_t);
            gates.narrow(1, 0, 2 * size).sigmoid_();
            gates.narrow(1, 2 * size, size).tanh_();
            gates.narrow(1, 3 * size, size).sigmoid_();
            step.gates = gates;
            cell = gates.narrow(1, size, size) * step.cell_before +
                   gates.narrow(1, 0, size) * gates.narrow(1, 2 * size, size);
            step.cell_tanh = at::tanh(cell);
            hidden = gates.narrow(1, 3 * size, size) * step.cell_tanh;

            hidden_out.push_back(hidden);
            context_out.push_back(gated);
            attention_out.push_back(step.attention);
            steps->push_back(std::move(step));
            offset += count;
        }
        const at::Tensor context_packed = at::cat(context_out, 0);
        context->save_for_backward({annotations, projected, recurrent_weight, context_weight,
                                    query_weight, score_weight, gate_weight, pictures, vectors,
                                    context_packed});
        context->saved_data["rows"] = rows;
        context->saved_data["steps"] =
            c10::IValue::make_capsule(c10::make_intrusive<StepsHolder>(std::move(steps)));
        return {at::cat(hidden_out, 0), context_packed, at::cat(attention_out, 0)};
    }

    static tensor_list backward(AutogradContext* context, tensor_list gradients) {
        const auto saved = context->get_saved_variables();
        const auto rows = context->saved_data["rows"].toIntVector();
        auto& steps = *c10::static_intrusive_pointer_cast<StepsHolder>(
                           context->saved_data["steps"].toCapsule())
                           ->steps;
        const at::Tensor &annotations = saved[0], &projected = saved[1],
                         &recurrent_weight = saved[2], &context_weight = saved[3],
                         &query_weight = saved[4], &score_weight = saved[5],
                         &gate_weight = saved[6], &pictures = saved[7], &vectors = saved[8],
                         &contexts = saved[9];
        const std::int64_t size = recurrent_weight.size(1);
        const std::int64_t width = query_weight.size(0);
        const at::Tensor stacked = stacked_weights(recurrent_weight, query_weight, gate_weight);

        const std::int64_t captions = vectors.size(0);
        at::Tensor vectors_gradient = at::zeros_like(vectors);
        at::Tensor keys_gradient =
            at::zeros({captions, projected.size(1), width}, projected.options());
        at::Tensor score_gradient_sum = at::zeros_like(score_weight);
        at::Tensor hidden_gradient = at::zeros({captions, size}, vectors.options());
        at::Tensor cell_gradient = at::zeros({captions, size}, vectors.options());
        std::int64_t total = 0;
        for (const std::int64_t count : rows) {
            total += count;
        }
        // Gradients before the three stacked products, packed: gates, query, gate β.
        at::Tensor stacked_gradient = at::zeros({total, 4 * size + width + 1}, vectors.options());

        std::int64_t offset = total;
        for (std::size_t t = rows.size(); t-- > 0;) {
            const std::int64_t count = rows[t];
            offset -= count;
            Step& step = steps[t];
            const at::Tensor input = step.gates.narrow(1, 0, size),
                             forget = step.gates.narrow(1, size, size),
                             candidate = step.gates.narrow(1, 2 * size, size),
                             output = step.gates.narrow(1, 3 * size, size);
            at::Tensor dh = hidden_gradient.narrow(0, 0, count);
            if (gradients[0].defined()) {
                dh = dh + gradients[0].narrow(0, offset, count);
            }
            at::Tensor dc = cell_gradient.narrow(0, 0, count);
            dc.add_(dh * output * (1 - step.cell_tanh * step.cell_tanh));
            at::Tensor rows_gradient = stacked_gradient.narrow(0, offset, count);
            rows_gradient.narrow(1, 0, size).copy_(dc * candidate * input * (1 - input));
            rows_gradient.narrow(1, size, size)
                .copy_(dc * step.cell_before * forget * (1 - forget));
            rows_gradient.narrow(1, 2 * size, size).copy_(dc * input * (1 - candidate * candidate));
            rows_gradient.narrow(1, 3 * size, size)
                .copy_(dh * step.cell_tanh * output * (1 - output));
            dc.mul_(forget);

            at::Tensor dz = at::mm(rows_gradient.narrow(1, 0, 4 * size), context_weight);
            if (gradients[1].defined()) {
                dz.add_(gradients[1].narrow(0, offset, count));
            }
            rows_gradient.narrow(1, 4 * size + width, 1)
                .copy_((dz * step.plain_context).sum(1, true) * step.beta * (1 - step.beta));
            const at::Tensor dcontext = dz * step.beta;
            const at::Tensor step_vectors = vectors.narrow(0, 0, count);
            at::Tensor dalpha = at::bmm(step_vectors, dcontext.unsqueeze(2)).squeeze(2);
            if (gradients[2].defined()) {
                dalpha.add_(gradients[2].narrow(0, offset, count));
            }
            vectors_gradient.narrow(0, 0, count)
                .baddbmm_(step.attention.unsqueeze(2), dcontext.unsqueeze(1));
            const at::Tensor weighted = dalpha * step.attention;
            const at::Tensor de = (weighted - step.attention * weighted.sum(1, true)).contiguous();
            score_gradient_sum.add_(at::mv(step.scores_tanh.view({-1, width}).t(), de.view({-1})));
            at::Tensor keys_rows = keys_gradient.narrow(0, 0, count);
            at::Tensor dquery = at::zeros({count, width}, vectors.options());
            if (vectors.is_cpu()) {
                AT_DISPATCH_FLOATING_TYPES(vectors.scalar_type(), "score_backward", [&] {
                    score_backward<scalar_t>(de, step.scores_tanh, score_weight, keys_rows, dquery);
                });
            } else {
                const at::Tensor before_tanh =
                    de.unsqueeze(2) * score_weight * (1 - step.scores_tanh * step.scores_tanh);
                keys_rows.add_(before_tanh);
                dquery = before_tanh.sum(1);
            }
            rows_gradient.narrow(1, 4 * size, width).copy_(dquery);
            hidden_gradient.narrow(0, 0, count).copy_(at::mm(rows_gradient, stacked));
            step.scores_tanh.reset();
        }

        tensor_list before;
        for (const Step& step : steps) {
            before.push_back(step.hidden_before);
        }
        const at::Tensor hidden_before = at::cat(before, 0);
        const at::Tensor weights_gradient = at::mm(stacked_gradient.t(), hidden_before);
        const at::Tensor gates_gradient = stacked_gradient.narrow(1, 0, 4 * size).contiguous();
        const at::Tensor context_weight_gradient = at::mm(gates_gradient.t(), contexts);
        const at::Tensor annotations_gradient =
            at::zeros_like(annotations).index_add_(0, pictures, vectors_gradient);
        const at::Tensor projected_gradient =
            at::zeros_like(projected).index_add_(0, pictures, keys_gradient);
        steps.clear();
        return {annotations_gradient,
                projected_gradient,
                gates_gradient,
                hidden_gradient,
                cell_gradient,
                weights_gradient.narrow(0, 0, 4 * size),
                context_weight_gradient,
                weights_gradient.narrow(0, 4 * size, width),
                score_gradient_sum,
                weights_gradient.narrow(0, 4 * size + width, 1),
                stacked_gradient.narrow(1, 4 * size + width, 1).sum(0),
                at::Tensor(),
                at::Tensor()};
    }

 private:
    struct StepsHolder : torch::CustomClassHolder {
        explicit StepsHolder(std::shared_ptr<std::vector<Step>> value) : steps(std::move(value)) {}
        std::shared_ptr<std::vector<Step>> steps;
    };
};

}  // namespace

AttentionLstmOutputs attention_lstm(const AttentionLstmInputs& in) {
    auto outputs = AttentionLstmFunction::apply(in.annotations, in.projected, in.input_gates,
                                                in.hidden, in.cell, in.recurrent_weight,
                                                in.context_weight, in.query_weight, in.score_weight,
                                                in.gate_weight, in.gate_bias, in.pictures, in.rows);
    return {outputs[0], outputs[1], outputs[2]};
}

}  // namespace seesay::language
