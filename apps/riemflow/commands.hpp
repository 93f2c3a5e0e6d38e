#pragma once
// Each command adds itself to the command line; its work is its callback.

namespace CLI {
class App;
}

namespace riemflow::app {

void add_version(CLI::App& app);
void add_bench(CLI::App& app);

}  // namespace riemflow::app
