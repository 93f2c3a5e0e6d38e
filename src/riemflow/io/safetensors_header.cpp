#include "riemflow/io/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace riemflow {
namespace {

using nlohmann::json;

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::array kDTypes = {DType::F32, DType::F64, DType::I64, DType::U64, DType::U8};

/// nlohmann's events. Each says whether to go on; `problem` says why not.
class Events {
 public:
  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("a truth value"); }
  bool number_integer(json::number_integer_t) { return unexpected("a negative number"); }
  bool number_float(json::number_float_t, const std::string& text) { return unexpected(json_quoted(text)); }
  bool binary(json::binary_t&) { return unexpected("binary data"); }

  bool number_unsigned(json::number_unsigned_t value) {
    if (place_ == Place::shape) {
      entry_.shape.push_back(value);
      return true;
    }
    if (place_ != Place::offsets) return unexpected("a number");
    if (offsets_ == 2) return fail("data_offsets has more than two numbers");
    (offsets_++ == 0 ? entry_.begin : entry_.end) = value;
    return true;
  }

  bool string(std::string& value) {
    if (place_ == Place::metadata) {
      if (!header.metadata.emplace(key_, std::move(value)).second)
        return fail("key " + json_quoted(key_) + " of __metadata__ stands twice");
      return true;
    }
    if (place_ != Place::entry || key_ != "dtype") return unexpected("a string");
    for (const DType dtype : kDTypes) {
      if (name_of(dtype) != value) continue;
      entry_.dtype = dtype;
      return true;
    }
    return fail("dtype " + json_quoted(value) + " is not known");
  }

  bool start_object(std::size_t) {
    if (place_ == Place::outside) {
      place_ = Place::header;
    } else if (place_ == Place::header && key_ == kMetadata) {
      if (std::exchange(metadata_seen_, true)) return fail("__metadata__ stands twice");
      place_ = Place::metadata;
    } else if (place_ == Place::header) {
      place_ = Place::entry;
      entry_ = {};
      entry_.name = key_;
      seen_ = {};
      offsets_ = 0;
    } else {
      return unexpected("an object");
    }
    return true;
  }

  bool end_object() {
    if (place_ == Place::entry) {
      for (std::size_t i = 0; i < kKeys.size(); ++i)
        if (!seen_[i]) return fail(std::string(kKeys[i]) + " is missing");
      header.entries.push_back(std::move(entry_));
    }
    place_ = place_ == Place::header ? Place::outside : Place::header;
    return true;
  }

  bool start_array(std::size_t) {
    if (place_ == Place::entry && key_ == "shape")
      place_ = Place::shape;
    else if (place_ == Place::entry && key_ == "data_offsets")
      place_ = Place::offsets;
    else
      return unexpected("an array");
    return true;
  }

  bool end_array() {
    if (place_ == Place::offsets && offsets_ != 2) return fail("data_offsets has fewer than two numbers");
    place_ = Place::entry;
    return true;
  }

  bool key(std::string& key) {
    key_ = std::move(key);
    if (place_ != Place::entry) return true;
    const auto known = std::find(kKeys.begin(), kKeys.end(), key_);
    if (known == kKeys.end()) return fail("key " + json_quoted(key_) + " is not known");
    if (std::exchange(seen_[static_cast<std::size_t>(known - kKeys.begin())], true))
      return fail(key_ + " stands twice");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception&) {
    problem = fmt::format("the header is not JSON at byte {}", 8 + position);
    return false;
  }

  SafeTensorsHeader header;
  std::string problem;

 private:
  enum class Place { outside, header, metadata, entry, shape, offsets };
  static constexpr std::array<std::string_view, 3> kKeys = {"dtype", "shape", "data_offsets"};

  bool fail(const std::string& what) {
    const bool inside = place_ == Place::entry || place_ == Place::shape || place_ == Place::offsets;
    problem = (inside ? "tensor " + json_quoted(entry_.name) + ": " : "the header: ") + what;
    return false;
  }
  bool unexpected(const std::string& what) {
    if (place_ == Place::outside) return fail(what + " stands where an object should");
    return fail(what + " stands at " + json_quoted(key_));
  }

  Place place_ = Place::outside;
  std::string key_;
  HeaderEntry entry_;
  std::array<bool, 3> seen_{};
  int offsets_ = 0;
  bool metadata_seen_ = false;
};

/// A name that two entries have.
std::optional<std::string_view> twin_name(const std::vector<HeaderEntry>& entries) {
  std::vector<std::string_view> names;
  for (const HeaderEntry& entry : entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  return twin == names.end() ? std::nullopt : std::optional(*twin);
}

}  // namespace

std::string json_quoted(std::string_view s) {
  constexpr std::size_t kLongest = 80;
  const json text = std::string(s.substr(0, kLongest)) + (s.size() > kLongest ? "..." : "");
  return text.dump(-1, ' ', true, json::error_handler_t::replace);
}

void bad_safetensors(const std::string& file, const std::string& problem) {
  throw Error(file + ": " + problem,
              "the file is damaged or not a safetensors file: copy it again, or write it anew",
              Fault::bad_data);
}

SafeTensorsHeader parse_safetensors_header(std::string_view text, const std::string& name) {
  // The parser would skip a byte order mark, and take a NUL for the end.
  if (!text.starts_with('{') || text.find('\0') != text.npos)
    bad_safetensors(name, "the header is not a JSON object");
  Events events;
  if (!json::sax_parse(text.begin(), text.end(), &events)) bad_safetensors(name, events.problem);
  if (const auto twin = twin_name(events.header.entries))
    bad_safetensors(name, "tensor " + json_quoted(*twin) + " stands twice");
  return std::move(events.header);
}

std::string write_safetensors_header(const SafeTensorsHeader& header) {
  const auto refuse = [](std::string_view name, const char* why) {
    throw Error("the name " + json_quoted(name) + " " + why, "give it another", Fault::internal);
  };
  const auto exact = [&](const std::string& name) {
    try {
      return json(name).dump();
    } catch (const json::exception&) {
      refuse(name, "is not UTF-8");
      throw;
    }
  };
  if (const auto twin = twin_name(header.entries)) refuse(*twin, "belongs to two tensors");
  std::string text = "{";
  const auto next = [&text] {
    if (text.back() != '{') text += ',';
  };
  if (!header.metadata.empty()) {
    text += fmt::format("\"{}\":{{", kMetadata);
    for (const auto& [key, value] : header.metadata) {
      next();
      text += exact(key) + ':' + json(value).dump(-1, ' ', false, json::error_handler_t::replace);
    }
    text += '}';
  }
  for (const HeaderEntry& entry : header.entries) {
    if (entry.name == kMetadata) refuse(entry.name, "is not for a tensor");
    next();
    text += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", exact(entry.name),
                        name_of(entry.dtype), fmt::join(entry.shape, ","), entry.begin, entry.end);
  }
  return text + '}';
}

}  // namespace riemflow
