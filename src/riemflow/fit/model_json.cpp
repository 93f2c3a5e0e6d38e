#include "riemflow/fit/model_json.hpp"

#include "riemflow/fit/checkpoint.hpp"
#include "riemflow/model/config_json.hpp"
#include "riemflow/model/read_provenance.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {

using Json = nlohmann::ordered_json;

std::string member_name(const Model& member) {
  const std::string name = metadata_of(member, "name");
  return name.empty() ? std::string(name_of(member.config.model)) : name;
}

Json model_json(const Model& model) {
  Json out = {{"model", name_of(model.config.model)},
              {"manifold", space_of(model).name()},
              {"precision", precision_of(model)},
              {"parameters", numbers_in(model)},
              {"resumable", has_state(model)},
              {"config", Json::parse(config_to_json(model.config))},
              {"metadata", Json::object()}};
  if (const Pool* pool = std::get_if<Pool>(&model.content)) {
    Json& rows = out["members"] = Json::array();
    for (std::size_t m = 0; m < pool->members.size(); ++m)
      rows.push_back({{"name", member_name(pool->members[m])},
                      {"model", name_of(pool->members[m].config.model)},
                      {"weight", pool->weights[m]},
                      {"parameters", numbers_in(pool->members[m])},
                      {"config", Json::parse(config_to_json(pool->members[m].config))}});
  }
  for (const auto& [key, value] : metadata_in_file(model))
    out["metadata"][key] = key == "provenance" ? Json(read_provenance(value)) : Json(value);
  return out;
}

}  // namespace riemflow
