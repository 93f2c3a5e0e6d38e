#pragma once
// The delimiter and the decimal mark of a text, from its first rows.

#include "riemflow/io/csv_record.hpp"

namespace riemflow::io {

/// The dialect that explains `text` best; a comma for a single column. A zero byte stands behind the text;
/// `last`: no other byte does. format "tsv": tabs without looking.
Dialect sniff_dialect(std::string_view text, bool last, const std::string& format);

}  // namespace riemflow::io
