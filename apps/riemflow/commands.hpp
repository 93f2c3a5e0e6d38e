#pragma once
// Each command adds itself to the command line; its work is its callback.

namespace CLI {
class App;
}

namespace riemflow::app {

inline constexpr int kExitOk = 0;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInternal = 70;
inline constexpr int kExitConfiguration = 78;

void add_version(CLI::App& app);
void add_bench(CLI::App& app);

}  // namespace riemflow::app
