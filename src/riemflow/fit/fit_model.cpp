#include "riemflow/fit/fit_model.hpp"

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/fit/fit_kinds.hpp"

namespace riemflow {

FitResult fit(const DataSet& raw, const FitOptions& options, Observer& observer, const Model* resume) {
  const DataSet data = standardised(raw, observer);
  const ModelKind kind = model_kind(options.model).value();
  require(resume == nullptr || is_flow(kind), fmt::format("the fit of a {} cannot be resumed", options.model),
          "start anew");
  try {
    switch (kind) {
      case ModelKind::vmf_mixture:
        return fit_mixture(data, options, observer);
      case ModelKind::pool:
        return fit_pool(data, options, observer);
      case ModelKind::kde:
        return fit_kernel_model(data, options, observer);
      default:
        return fit_flow(data, options, observer, resume);
    }
  } catch (const Cancelled&) {  // before there was any model
    FitResult result;
    result.stopped = "interrupted";
    return result;
  }
}

void refuse_foreign_options(const std::string& model, const std::map<std::string, std::string>& given) {
  const bool mixture = model == name_of(ModelKind::vmf_mixture), kernels = model == name_of(ModelKind::kde);
  for (const std::string& name :
       words_in("width depth activation input scaling bound divergence noise probes precision clip average "
                "kinetic frobenius solver tolerance train-tolerance steps max-evaluations device finetune "
                "finetune-rate forward-start weight-decay validation-points base-components frequency"))
    require(!(mixture || kernels) || !given.contains(name), fmt::format("‹{}› with ‹model› {}", name, model),
            fmt::format("a {} has none of it: leave it out", mixture ? "mixture" : "kernel density"),
            Fault::usage);
  for (const char* name : {"iterations", "epochs", "batch", "optimizer", "rate", "schedule", "beta1", "beta2",
                           "epsilon", "validate-every", "patience"})
    require(!kernels || !given.contains(name), fmt::format("‹{}› with ‹model› {}", name, model),
            "a kernel density has none of it: leave it out", Fault::usage);
  const auto base = given.find("base");
  require(base == given.end() || base->second == "default" || model == name_of(ModelKind::riemannian) ||
              (base->second != "kde" && !mixture && !kernels && model != name_of(ModelKind::pool)),
          fmt::format("‹base› with ‹model› {}", model), "it is of ‹model› riemannian", Fault::usage);
  require(kernels || !given.contains("kernel") || (base != given.end() && base->second == "kde"),
          fmt::format("‹kernel› with ‹model› {}", model), "it is of ‹model› kde and of ‹base› kde",
          Fault::usage);
  for (const char* name : {"components", "max-concentration", "rates"})
    require(mixture || !given.contains(name), fmt::format("‹{}› with ‹model› {}", name, model),
            "it is of ‹model› vmf-mixture", Fault::usage);
  const auto optimizer = given.find("optimizer");
  require(mixture || optimizer == given.end() || optimizer->second != "em",
          fmt::format("‹optimizer› em with ‹model› {}", model), "it is of ‹model› vmf-mixture", Fault::usage);
}

}  // namespace riemflow
