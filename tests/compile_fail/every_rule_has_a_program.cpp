// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Every rule has its failing program in this folder, and every sentence its form.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <adamant/step/soundness.hpp>

namespace {

using namespace adamant;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

//! Each program of the folder with the sentence that it announces.
std::map<std::string, std::string> announced() {
    constexpr std::string_view mark = "// EXPECT-ERROR: ";
    std::map<std::string, std::string> sentences;
    for (const auto& entry : std::filesystem::directory_iterator(ADAMANT_COMPILE_FAIL)) {
        if (entry.path().extension() != ".cpp" || entry.path().stem() == "every_rule_has_a_program") continue;
        std::string& sentence = sentences[entry.path().stem().string()];
        for (const std::string& line : lines_of(entry.path()))
            if (line.starts_with(mark)) sentence = line.substr(mark.size());
    }
    return sentences;
}

template <class... Rules>
void add_sentences(std::vector<std::string>& sentences) {
    (sentences.emplace_back(Rules::sentence), ...);
}

std::vector<std::string> all_sentences() {
    std::vector<std::string> sentences;
    for (const rule_text& rule : word_rules::texts) sentences.emplace_back(rule.sentence);
    for (const rule_text& rule : spec_rules::texts) sentences.emplace_back(rule.sentence);
    namespace h = hyperparameter_rules;
    add_sentences<h::lr, h::beta1, h::beta2, h::eps, h::weight_decay, h::clip_grad, h::skip_threshold>(
        sentences);
    all_soundness_rules::for_each(
        [&]<class Rule>(std::type_identity<Rule>) { add_sentences<Rule>(sentences); });
    return sentences;
}

//! "[adamant] WHAT holds: WHAT to do."
bool has_form(std::string_view sentence) {
    constexpr std::string_view begin = "[adamant] ";
    const auto colon = sentence.find(": ");
    return sentence.starts_with(begin) && colon != std::string_view::npos && colon > begin.size() &&
           colon + 3 < sentence.size() && sentence.ends_with('.') && !sentence.ends_with("..") &&
           sentence.find("  ") == std::string_view::npos && sentence.find(" :") == std::string_view::npos &&
           sentence.find('\n') == std::string_view::npos;
}

}  // namespace

TEST_CASE("every rule has a program that breaks it") {
    const auto programs = announced();
    for (const std::string& sentence : all_sentences()) {
        INFO("no program in tests/compile_fail announces: ", sentence);
        bool found = false;
        for (const auto& [program, said] : programs) found = found || said == sentence;
        CHECK(found);
    }
}

TEST_CASE("there are as many sentences as rules") {
    const auto sentences = all_sentences();
    CHECK(sentences.size() == 5 + 15 + 7 + 5);
    CHECK(std::set(sentences.begin(), sentences.end()).size() == sentences.size());
}

TEST_CASE("a sentence says what holds and what to do") {
    for (const std::string_view bad :
         {"[adamant] a cat has legs.", "a cat has legs: count them.", "[adamant] : count them.",
          "[adamant] a cat has legs: count them", "[adamant] a cat has legs: ."})
        CHECK_FALSE(has_form(bad));
    for (const std::string& sentence : all_sentences()) {
        CAPTURE(sentence);
        CHECK(has_form(sentence));
    }
    for (const auto& program : announced()) {
        CAPTURE(program.second);
        CHECK(has_form(program.second));
    }
}

TEST_CASE("a program holds its twin") {
    for (const auto& [program, said] : announced()) {
        const std::string file = program + ".cpp";
        CAPTURE(file);
        const auto lines = lines_of(std::filesystem::path(ADAMANT_COMPILE_FAIL) / file);
        std::string order;
        for (const std::string& line : lines)
            if (line.starts_with("#if") || line.starts_with("#el") || line.starts_with("#endif"))
                order += line + "\n";
        CHECK(order == "#ifdef TWIN\n#else\n#endif\n");
    }
}
