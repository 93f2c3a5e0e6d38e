#include "riemflow/model/read_provenance.hpp"

#include <limits>

namespace riemflow {

nlohmann::ordered_json read_provenance(const std::string& text) {
  using Json = nlohmann::ordered_json;
  constexpr int kDeepest = 16;
  const auto keep = [](int depth, Json::parse_event_t, Json&) { return depth < kDeepest; };
  Json value = Json::parse(text, keep, false);
  return value.is_discarded() ? Json(text) : value;
}

double provenance_number(const Model& model, const char* name, const char* part) {
  nlohmann::ordered_json about = read_provenance(metadata_of(model, "provenance"));
  if (*part != '\0')
    about = about.is_object() && about.contains(part) ? about[part] : nlohmann::ordered_json();
  return about.is_object() && about.contains(name) && about[name].is_number()
             ? about[name].get<double>()
             : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace riemflow
