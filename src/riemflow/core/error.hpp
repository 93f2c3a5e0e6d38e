#pragma once
// Misuse throws at the public door, with advice. Numerical failure is not misuse: it is a returned status
// (flow/ode/status.hpp).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace riemflow {

/// What kind of thing went wrong; the tool's exit code.
enum class Fault {
  usage = 2,           ///< the command line cannot be understood
  bad_data = 65,       ///< a file's contents are not what they should be
  no_input = 66,       ///< a file cannot be opened or read
  internal = 70,       ///< a bug
  cannot_write = 73,   ///< a file cannot be created or written
  numerical = 75,      ///< a computation failed
  configuration = 78,  ///< settings that are out of range or contradict each other
};

/// Where in a file something is: line and column from 1, 0 where that is not known.
struct FilePlace {
  std::string file;
  std::uint64_t line = 0, column = 0;

  /// "file:line:column: ", as far as they are known.
  std::string text() const {
    return file + (line == 0 ? "" : ":" + std::to_string(line)) +
           (column == 0 ? "" : ":" + std::to_string(column)) + ": ";
  }
};

/// Something the caller asked for cannot be done. `what()` says what was wrong and, after a semicolon, what
/// to do; the same is there in fields, empty where the error is of no such thing:
///   throw Error(FilePlace{path, 3, 7}, "'a' is no number", "correct it").of_value("a");
///   throw Error("the rate is -1", "give a positive number").of_setting("rate", "-1");
class Error : public std::runtime_error {
 public:
  Error(const std::string& problem, std::string advice, Fault fault = Fault::configuration)
      : std::runtime_error(problem + "; " + advice),
        problem_(problem),
        advice_(std::move(advice)),
        fault_(fault) {}
  /// The problem is said behind its place.
  Error(FilePlace place, const std::string& problem, std::string advice, Fault fault = Fault::bad_data)
      : Error(place.text() + problem, std::move(advice), fault) {
    place_ = std::move(place);
  }
  Error at(FilePlace place) && {
    place_ = std::move(place);
    return std::move(*this);
  }
  Error of_setting(std::string name, std::string value) && {
    setting_ = std::move(name);
    return std::move(*this).of_value(std::move(value));
  }
  Error of_value(std::string value) && {
    value_ = std::move(value);
    return std::move(*this);
  }

  const std::string& problem() const { return problem_; }
  const std::string& advice() const { return advice_; }
  Fault fault() const { return fault_; }
  const FilePlace& place() const { return place_; }
  const std::string& setting() const { return setting_; }  ///< as ‹setting› names it
  const std::string& value() const { return value_; }      ///< as it was given

 private:
  std::string problem_, advice_, setting_, value_;
  Fault fault_;
  FilePlace place_;
};

/// Throws Error unless `condition` holds.
inline void require(bool condition, const std::string& problem, const std::string& advice,
                    Fault fault = Fault::configuration) {
  if (!condition) throw Error(problem, advice, fault);
}

}  // namespace riemflow
