#include "riemflow/flow/ode/status.hpp"

namespace riemflow {

std::string_view explain(Status status) {
  switch (status) {
    case Status::ok:
      return "solved";
    case Status::too_many_evaluations:
      return "the solver used all the evaluations it was allowed; loosen the tolerance, raise the limit, or "
             "regularise the field (kinetic, Frobenius, a bound)";
    case Status::step_underflow:
      return "the step size fell below what this precision can resolve; loosen the tolerance, use double "
             "precision, or bound the field; on the ball use the scaling 'unit' or 'paper', which keep paths "
             "off the rim";
    case Status::non_finite:
      return "the field is not a finite number; look for NaN or infinity in the data and in the parameters "
             "(a learning rate that is too large, a missing gradient clip)";
    case Status::outside_domain:
      return "the path leaves the domain of the coordinates; on the ball use the scaling 'unit' or 'paper', "
             "which slow the field towards the rim";
    case Status::off_chart:
      return "the point has no counterpart across the chart: it is the projection point of a stereographic "
             "model, or a naive model has put it outside the ball; use a riemannian model";
    case Status::unresolved:
      return "rounding to the model's precision takes the point elsewhere: it is too near the rim of "
             "hyperbolic "
             "space; use a model of precision double";
  }
  return "unknown status";
}

}  // namespace riemflow
