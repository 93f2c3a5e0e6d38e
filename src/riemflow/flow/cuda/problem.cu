#include "riemflow/flow/cuda/problem.cuh"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numbers>

#include "riemflow/flow/cuda_flow.hpp"
#include "riemflow/flow/device_formulas.hpp"

namespace riemflow::cuda {
namespace {

int shape_of(const Manifold<float>& manifold) {
  switch (manifold.device_formulas()) {
    case DeviceFormulas::sphere:
      return kSphere;
    case DeviceFormulas::ball:
      return kBall;
    case DeviceFormulas::circles:
      return kTorus;
    case DeviceFormulas::flat:
      return kEuclidean;
    case DeviceFormulas::orthonormal:
    case DeviceFormulas::projectors:
      return kMatrices;
    case DeviceFormulas::none:
      break;
  }
  throw Error("a GPU has no formulas for " + manifold.name(), "use the CPU");
}

Matrices matrices_of(const Manifold<float>& manifold) {
  const MatrixForm form = manifold.matrix_form();
  return {form.rows, form.columns, manifold.device_formulas() == DeviceFormulas::projectors, form.rank,
          static_cast<float>(form.metric), static_cast<float>(form.bend), static_cast<float>(form.shift)};
}

int distance_of(const GeodesicNeurons<float>& neurons) {
  switch (neurons.distance()) {
    case simd::Function::asin:
      return kAsin;
    case simd::Function::asinh:
      return kAsinh;
    default:
      break;
  }
  throw Error("a GPU has no such geodesic input layer", "use the CPU");
}

/// The constant of its base.
double log_base_of(const Manifold<float>& manifold) {
  switch (manifold.default_base()) {
    case DefaultBase::uniform:
      return -manifold.log_volume();
    case DefaultBase::normal:
    case DefaultBase::wrapped_normal:
      return -0.5 * manifold.dimension() * std::log(2 * std::numbers::pi);
    case DefaultBase::none:
      break;
  }
  throw Error("a GPU has no base for " + manifold.name(), "use the CPU");
}

bool has_matrices(const Manifold<float>& manifold) {
  for (const auto& factor : manifold.factors())
    if (shape_of(*factor.manifold) == kMatrices) return true;
  return false;
}

}  // namespace

int jets_of(const FlowConfig& config, const Manifold<float>& manifold) {
  if (config.divergence.estimator != DivergenceEstimator::exact) return 1 + config.divergence.probes;
  return 1 + (has_matrices(manifold) ? manifold.ambient() : manifold.dimension());
}

Status status_of(int status) {
  switch (status) {
    case kOk:
      return Status::ok;
    case kTooMany:
      return Status::too_many_evaluations;
    case kUnderflow:
      return Status::step_underflow;
    case kNonFinite:
      return Status::non_finite;
    default:
      return Status::outside_domain;
  }
}

Problem describe(const FlowConfig& config, const VectorField<float>& field) {
  const Manifold<float>& manifold = field.manifold();
  const bool exact = config.divergence.estimator == DivergenceEstimator::exact;
  Problem p{};
  p.ambient = manifold.ambient();
  p.depth = config.field.depth;
  p.width = config.field.width;
  p.activation = config.field.activation == Activation::tanh ? kTanh : kSwish;
  p.first_activation = config.field.input == InputLayer::fourier ? kSin : p.activation;
  p.working_size = static_cast<int>(field.working_size());
  p.kinetic = static_cast<float>(config.regularisation.kinetic);
  p.bound = static_cast<float>(config.field.bound);
  p.frame.axes = exact && has_matrices(manifold);
  p.frame.exact = exact && !p.frame.axes;
  p.frame.share = exact ? 1.0f : 1.0f / static_cast<float>(config.divergence.probes);
  p.input.rows = p.width;
  p.input.columns = field.features();
  p.distance = -1;
  double log_base = 0;
  for (const auto& factor : manifold.factors()) {
    const auto n = static_cast<std::size_t>(p.frame.factors++);
    const InputBlock<float>& input = field.input_blocks()[n];
    Factor& f = p.frame.factor[n];
    f.shape = shape_of(*factor.manifold);
    f.first = input.row;
    f.count = input.rows;
    f.feature = input.feature;
    f.seed = n == 0 ? 0 : p.frame.factor[n - 1].seed + p.frame.factor[n - 1].dimension;
    f.dimension = factor.manifold->dimension();
    f.power = power_of(config.field.scaling, f.dimension);
    f.hyperboloid = f.shape == kBall && input.neurons != nullptr;
    if (f.shape == kMatrices) f.matrices = matrices_of(*factor.manifold);
    f.K = static_cast<float>(factor.manifold->curvature());
    f.root = static_cast<float>(std::sqrt(std::abs(factor.manifold->curvature())));
    log_base += log_base_of(*factor.manifold);
    p.input.first[n] = input.feature;
    p.input.source[n] = static_cast<int>(input.weights);
    ++p.input.parts;
    if (input.distance) {
      p.distance = distance_of(*input.neurons);
      p.scales = static_cast<int>(input.scales);
    }
  }
  p.log_base = static_cast<float>(log_base);
  const auto place = [&](const DenseLayer& layer, int l) {
    p.bias[l] = static_cast<int>(layer.bias);
    p.time[l] = static_cast<int>(layer.time);
  };
  const auto matrix = [](const DenseLayer& layer) {
    Matrix m{};
    m.rows = layer.rows;
    m.columns = layer.columns;
    m.parts = 1;
    m.source[0] = static_cast<int>(layer.weight);
    return m;
  };
  place(field.input_dense(), 0);
  for (std::size_t l = 0; l < field.hidden().size(); ++l) {
    place(field.hidden()[l], static_cast<int>(l) + 1);
    p.hidden[l] = matrix(field.hidden()[l]);
  }
  p.output = matrix(field.output());
  p.output_bias = static_cast<int>(field.output().bias);
  p.output_time = static_cast<int>(field.output().time);
  return p;
}

bool arrange(Problem& p, int jets, int groups) {
  p.jets = jets;
  const auto fits = [&](const Size& s) {
    const bool known = p.distance < 0 && p.frame.factors == 1 && p.frame.factor[0].shape == s.shape && p.ambient == s.coordinates;
    return jets <= s.jets && (s.waves || p.first_activation != kSin) && (known || (s.shape == kAny && p.ambient <= s.coordinates));
  };
  p.size = 0;
  while (p.size < kSizeCount && !fits(kSizes[p.size])) ++p.size;
  if (p.size == kSizeCount) return false;
  const int lanes = kSizes[p.size].lanes, most_groups = 32 * kMostWarps / (lanes * kGroup);
  p.groups = std::min(groups, most_groups);
  p.tile = p.groups * kGroup;
  p.tiles = (p.points + p.tile - 1) / p.tile;
  p.unit_tiles = (p.width + kUnits - 1) / kUnits;
  p.columns = p.tile * jets;
  p.layer_floats = p.unit_tiles * p.groups * jets * 128;
  // Four rows of 8 columns meet every bank once.
  p.stride = p.columns + (most_jets(p) <= 6 ? 4 : p.columns % 16 == 0 ? 8 : 0);
  p.warps = std::min(kMostWarps, std::max(p.unit_tiles * p.groups, p.tile * lanes / 32));
  p.input_steps = p.input.steps();
  p.hidden_steps = (p.width + kSteps - 1) / kSteps;
  p.output_steps = (p.ambient + kSteps - 1) / kSteps;
  const auto splits = [&](int rows) {
    const int tiles = (rows + kUnits - 1) / kUnits * p.groups;
    return std::clamp(p.warps / tiles, 1, p.hidden_steps);
  };
  p.output_splits = splits(p.ambient);
  p.input_splits = splits(p.input.columns);
  p.output_each = (p.hidden_steps + p.output_splits - 1) / p.output_splits;
  p.input_each = (p.hidden_steps + p.input_splits - 1) / p.input_splits;
  p.layer_cells = layer_rows(p) * p.stride;
  return true;
}

}  // namespace riemflow::cuda

namespace riemflow {

std::string why_not_cuda(const FlowConfig& config) {
  int devices = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0)
    return code == cudaSuccess ? "there is none" : std::string(cudaGetErrorString(code));
  if (config.base.kind != BaseKind::standard) return "it has no learned base";
  if (config.model != ModelKind::riemannian) return "it has no " + std::string(name_of(config.model)) + " flows";
  if (config.field.width > cuda::kMostWidth || config.field.depth > cuda::kMostDepth)
    return "its networks are at most " + std::to_string(cuda::kMostWidth) + " wide and have at most " +
           std::to_string(cuda::kMostDepth) + " hidden layers";
  if (config.field.given > 0) return "it has no fields that are given coordinates which they do not move";
  if (config.regularisation.frobenius > 0) return "it has no Frobenius regulariser";
  if (config.solver.method != "dopri5" || config.solver.fixed_steps > 0) return "its solver is dopri5 with error control";
  const std::shared_ptr<const Manifold<float>> manifold = config.manifold.on<float>();
  for (const auto& factor : manifold->factors())
    if (const std::string reason = why_no_device_formulas(*factor.manifold); !reason.empty()) return reason;
  const std::size_t factors = manifold->factors().size();
  if (factors > static_cast<std::size_t>(cuda::kMostFactors))
    return "its products have at most " + std::to_string(cuda::kMostFactors) + " factors";
  const VectorField<float> field(manifold, config.field);
  cuda::Problem problem = cuda::describe(config, field);
  if (factors > 1 && problem.distance >= 0) return "it has no geodesic input layers on products";
  const int jets = cuda::jets_of(config, *manifold);
  if (!cuda::arrange(problem, jets, 1))
    return "it has no kernel for " + manifold->name() + " with " + std::to_string(jets - 1) + " derivatives";
  int bytes = 0;
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  if (cuda::shared_bytes(problem) > static_cast<std::size_t>(bytes))
    return "a network " + std::to_string(problem.width) + " wide with " + std::to_string(jets - 1) +
           " derivatives does not fit; Hutchinson's estimate needs fewer";
  return "";
}

}  // namespace riemflow
