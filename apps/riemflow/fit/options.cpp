#include "apps/riemflow/fit/options.hpp"

#include "apps/riemflow/support/console.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/fit/option_field.hpp"

namespace riemflow::app {

void declare(CLI::App& app) {
  for (const OptionField& field : option_fields()) {
    const std::string flag = "--" + field.name, help = with_flags(field.help);
    CLI::Option* option = nullptr;
    if (field.kind == OptionKind::flag) {
      option = app.add_flag(flag, help);
    } else {
      option = app.add_option(
                      flag, [](const CLI::results_t&) { return true; }, help)
                   ->type_name(field.type);
      if (!field.initial.empty()) option->default_str(field.initial);
      option->check(CLI::Validator(
          [&field](const std::string& typed) -> std::string {
            FitOptions scratch;
            try {
              field.set(scratch, typed);
            } catch (const Error& error) {
              return with_flags(error.what());
            }
            return "";
          },
          ""));
    }
    option->group(field.group)->take_last();
  }
}

Values given_values(const CLI::App& app) {
  Values values;
  for (const OptionField& field : option_fields()) {
    const CLI::Option* option = app.get_option_no_throw("--" + field.name);
    if (option == nullptr || option->count() == 0) continue;
    const std::string& typed = option->results().back();
    values[field.name] =
        field.kind == OptionKind::flag ? (typed == "false" ? "false" : "true") : canonical(field.name, typed);
  }
  return values;
}

}  // namespace riemflow::app
