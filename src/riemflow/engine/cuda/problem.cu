#include "riemflow/engine/cuda/problem.cuh"

#include <cmath>
#include <numbers>

#include "riemflow/engine/cuda_flow.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::cuda {
namespace {

int shape_of(riemflow::Geometry geometry) {
  switch (geometry) {
    case riemflow::Geometry::sphere:
      return kSphere;
    case riemflow::Geometry::ball:
      return kBall;
    case riemflow::Geometry::torus:
      return kTorus;
    case riemflow::Geometry::euclidean:
      break;
  }
  return kEuclidean;
}

}  // namespace

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
  const Factor<float> factor = manifold.factors().front();
  const bool exact = config.divergence.estimator == DivergenceEstimator::exact;
  const InputBlock& input = field.input_blocks().front();
  Problem p{};
  p.shape = shape_of(factor.geometry);
  p.ambient = manifold.ambient();
  p.features = input.features;
  p.depth = config.field.depth;
  p.activation = config.field.activation == Activation::tanh ? kTanh : kSwish;
  p.distance = factor.geometry == riemflow::Geometry::ball ? kAsinh : kAsin;
  p.working_size = static_cast<int>(field.working_size());
  p.kinetic = static_cast<float>(config.regularisation.kinetic);
  const double flat = -0.5 * manifold.dimension() * std::log(2 * std::numbers::pi);
  p.base = manifold.compact()                     ? kUniform
           : factor.geometry == riemflow::Geometry::euclidean ? kNormal
                                                    : kWrappedNormal;
  p.log_base = static_cast<float>(manifold.compact() ? -manifold.log_volume() : flat);
  p.frame.K = static_cast<float>(factor.curvature);
  p.frame.dimension = manifold.dimension();
  p.frame.power = config.field.scaling == BallScaling::none   ? 0
                  : config.field.scaling == BallScaling::unit ? 1
                                                               : manifold.dimension();
  p.frame.hyperboloid = input.embedding == Embedding::hyperboloid;
  p.frame.exact = exact;
  p.frame.share = exact ? 1.0f : 1.0f / static_cast<float>(config.divergence.probes);
  Offsets& o = p.offsets;
  o.input_weight = static_cast<int>(input.weights);
  o.scales = input.distance ? static_cast<int>(input.scales) : -1;
  const auto place = [&](const DenseLayer& layer, int l) {
    o.bias[l] = static_cast<int>(layer.bias);
    o.time[l] = static_cast<int>(layer.time);
  };
  place(field.input_dense(), 0);
  for (std::size_t l = 0; l < field.hidden().size(); ++l) {
    place(field.hidden()[l], static_cast<int>(l) + 1);
    o.hidden[l] = static_cast<int>(field.hidden()[l].weight);
  }
  o.output_weight = static_cast<int>(field.output().weight);
  o.output_bias = static_cast<int>(field.output().bias);
  o.output_time = static_cast<int>(field.output().time);
  return p;
}

}  // namespace riemflow::cuda

namespace riemflow {

std::string why_not_cuda(const FlowConfig& config) {
  int devices = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0)
    return code == cudaSuccess ? "there is none" : std::string(cudaGetErrorString(code));
  const auto manifold = parse_manifold<float>(config.manifold);
  const auto factors = manifold->factors();
  const bool exact = config.divergence.estimator == DivergenceEstimator::exact;
  const int jets = 1 + (exact ? manifold->dimension() : config.divergence.probes);
  if (config.model != ModelKind::riemannian) return "it has no " + std::string(name_of(config.model)) + " flows";
  if (factors.size() != 1 || !cuda::can_solve(cuda::shape_of(factors[0].geometry), manifold->ambient(), jets))
    return "it has no kernel for " + manifold->name() + " with " + std::to_string(jets - 1) + " derivatives";
  if (config.field.width != cuda::kWidth || config.field.depth > cuda::kMostDepth)
    return "its networks are " + std::to_string(cuda::kWidth) + " wide and have at most " +
           std::to_string(cuda::kMostDepth) + " hidden layers";
  if (config.field.bound > 0 || config.field.given > 0 || config.regularisation.frobenius > 0)
    return "it has no bound of the field and no Frobenius regulariser";
  if (config.solver.method != "dopri5" || config.solver.fixed_steps > 0) return "its solver is dopri5 with error control";
  return "";
}

}  // namespace riemflow
