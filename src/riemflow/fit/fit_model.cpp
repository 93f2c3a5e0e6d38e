#include "riemflow/fit/fit_model.hpp"

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/lifted.hpp"
#include "riemflow/fit/provenance.hpp"

namespace riemflow {

namespace {

FitResult fit_kind(const DataSet& data, const FitOptions& options, Observer& observer, const Model* resume) {
  switch (options.model) {
    case ModelKind::vmf_mixture:
      return fit_mixture(data, options, observer);
    case ModelKind::pool:
      return fit_pool(data, options, observer);
    case ModelKind::kde:
      return fit_kernel_model(data, options, observer);
    case ModelKind::kernels:
    case ModelKind::normal_mixture:
      return fit_learned_kernels(data, options, observer);
    default:
      return fit_flow(data, options, observer, resume);
  }
}

}  // namespace

FitResult fit(const DataSet& raw, const FitOptions& options, Observer& observer, const Model* resume) {
  require(resume == nullptr || is_flow(options.model),
          fmt::format("the fit of a {} cannot be resumed", name_of(options.model)), "start anew");
  require(raw.weights.empty() || raw.weights.size() == raw.points.size(),
          fmt::format("{} weights for {} points", raw.weights.size(), raw.points.size()),
          "give one a point, or none", Fault::bad_data);
  require(resume == nullptr || fitted_with_weights(*resume) == !raw.weights.empty(),
          raw.weights.empty() ? "a fit with weights of points resumed without"
                              : "a fit without weights of points resumed with some",
          "resume with the data the run was started with, or start anew");
  const DataSet data = standardised(lifted(raw), observer);
  try {
    FitResult result = fit_kind(data, options, observer, resume);
    say_of_points(result, raw, options);
    return result;
  } catch (const Cancelled&) {  // before there was any model
    FitResult result;
    result.stopped = "interrupted";
    return result;
  }
}

void refuse_foreign_options(ModelKind model, const std::map<std::string, std::string>& given) {
  const bool mixture = model == ModelKind::vmf_mixture, kernels = has_kernels(model);
  const std::string kind = mixture || model == ModelKind::normal_mixture ? "mixture" : "kernel density";
  const auto refuse = [&](bool meant, std::string_view names, const std::string& advice) {
    for (const std::string& name : words_in(names))
      require(meant || !given.contains(name), fmt::format("‹{}› with ‹model› {}", name, name_of(model)),
              advice, Fault::usage);
  };
  refuse(!mixture && !kernels,
         "width depth activation input scaling bound divergence noise probes precision clip average kinetic "
         "frobenius solver tolerance train-tolerance steps max-evaluations device finetune finetune-rate "
         "forward-start weight-decay validation-points base-components frequency",
         fmt::format("a {} has none of it: leave it out", kind));
  refuse(!kernels,
         "iterations epochs batch optimizer rate schedule beta1 beta2 epsilon validate-every patience",
         fmt::format("a {} has none of it: leave it out", kind));
  const auto base = given.find("base");
  const std::string base_name = base == given.end() ? "" : base->second;
  refuse(base_name == "default" || model == ModelKind::riemannian ||
             (base_name != "kde" && !mixture && !kernels && model != ModelKind::pool),
         "base", "it is of ‹model› riemannian");
  refuse(model == ModelKind::kde || base_name == "kde", "kernel", "it is of ‹model› kde and of ‹base› kde");
  refuse(mixture, "components max-concentration rates", "it is of ‹model› vmf-mixture");
  refuse(model == ModelKind::pool, "flow-steps", "it is of ‹model› pool");
  refuse(model == ModelKind::pool || model == ModelKind::kernels, "kernel-steps",
         "it is of ‹model› kernels and of ‹model› pool");
  const auto optimizer = given.find("optimizer");
  require(mixture || optimizer == given.end() || optimizer->second != "em",
          fmt::format("‹optimizer› em with ‹model› {}", name_of(model)), "it is of ‹model› vmf-mixture",
          Fault::usage);
}

}  // namespace riemflow
