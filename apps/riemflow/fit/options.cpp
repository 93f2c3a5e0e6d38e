#include "apps/riemflow/fit/options.hpp"

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/fit/option_field.hpp"

namespace riemflow::app {

void declare(CLI::App& app) {
  for (const OptionField& field : option_fields()) {
    const std::string flag = "--" + field.name, help = with_flags(field.help);
    CLI::Option* option = nullptr;
    if (field.kind == OptionKind::flag) {
      option = app.add_flag(flag, help);
    } else {
      option = check_by(app.add_option(
                               flag, [](const CLI::results_t&) { return true; }, help)
                            ->type_name(field.type),
                        [&field](const std::string& typed) {
                          FitOptions scratch;
                          field.set(scratch, typed);
                        });
      if (!field.initial.empty()) option->default_str(field.initial);
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
