#pragma once
// The parts of the page that are plain HTML, readable without scripts. What came from files is text in them.

#include <string>

#include "riemflow/report/page.hpp"

namespace riemflow::report {

/// "the sphere S² (latitude and longitude)"
std::string manifold_words(const std::string& manifold);

/// One sentence, or two: may it be trusted, and how good is it.
std::string verdict_sentence(const PageContent& content);

std::string scores_section(const PageContent& content);
std::string check_section(const PageContent& content);
/// The frame of the curves and their summary; empty without a log.
std::string curves_section(const PageContent& content);
std::string configuration_section(const PageContent& content);

}  // namespace riemflow::report
