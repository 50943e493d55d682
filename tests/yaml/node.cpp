// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The tree: merges, duplicates, tags, aliases, several documents, and where everything stands.
#include <adamant/yaml/yaml.hpp>

#include <doctest/doctest.h>

using namespace adamant;
using adamant::yaml::node;

namespace {

yaml::node_ptr only(const std::string& text) {
    const auto documents = yaml::parse_documents(text, "f.yaml");
    REQUIRE(documents.size() == 1);
    return documents[0];
}

std::string error_of(const std::string& text, const std::string& path = "") {
    try {
        (void)yaml::load_text(text, "f.yaml", path);
    } catch (const config_error& e) { return e.what(); }
    return "";
}

}  // namespace

TEST_CASE("keys keep their order and their place") {
    const auto root = only("a: 1\nb:\n  c: [x, 'null', null]\n");
    REQUIRE(root->entries.size() == 2);
    CHECK(root->entries[1].key == "b");
    CHECK(root->entries[1].where.line == 2);
    const auto list = root->entries[1].value->find("c")->value;
    CHECK(root->entries[1].value->find("c")->where.column == 3);
    CHECK(list->items[0]->kind == node::type::scalar);
    CHECK(list->items[1]->kind == node::type::scalar);
    CHECK(list->items[2]->kind == node::type::null);
}

TEST_CASE("merge keys are shallow, explicit keys win whatever their place, the first map of a list wins") {
    const auto root = only(
        "x: &x {a: 1, m: {k: 1}}\ny: &y {a: 2, b: 3}\nz: {a: 9, <<: [*x, *y], m: {l: 2}}\nw: {<<: *y, b: "
        "4}\n");
    const auto z = root->find("z")->value;
    CHECK(z->find("a")->value->text == "9");
    CHECK(z->find("b")->value->text == "3");
    CHECK(z->find("m")->value->find("k") == nullptr);
    CHECK(z->entries.size() == 3);
    CHECK(z->problem.empty());
    CHECK(root->find("w")->value->find("b")->value->text == "4");
    CHECK(only("a: {<<: 5}")->find("a")->value->problem.find("<<") != std::string::npos);
    CHECK(only("'<<': 5")->find("<<")->value->text == "5");
}

TEST_CASE("a duplicate key is an error with both lines, where it is read") {
    CHECK(error_of("a: 1\nb: 2\na: 3\n")
              .find("f.yaml:3:1: [adamant] a key stands once in a map: 'a' stands on line 1 already.") == 0);
    CHECK(error_of("a: {x: 1, x: 2}\nb: {}\n", "b").empty());
    CHECK(error_of("a: {x: 1, x: 2}\nb: {}\n", "a").find("f.yaml:1:11") == 0);
}

TEST_CASE("a word on the last line is no key: the file was cut off there") {
    const auto refused = [](const std::string& text, const std::string& path = "") {
        return error_of(text, path).find("[adamant] a key has a colon behind it: '") != std::string::npos;
    };
    CHECK(error_of("a: {}\nb:\n  c: 1\n  lr", "b") ==
          "f.yaml:4:3: b: [adamant] a key has a colon behind it: 'lr' has none.");
    CHECK(refused("a: 1\nx"));
    CHECK(refused("a: 1\n\"x\""));
    CHECK(refused("a: 1\n&b x\n"));
    CHECK(refused("a: {}\nb:\n  c: 1\n  d", "b"));
    CHECK(error_of("a: {}\nb:\n  c: 1\n  d", "a").empty());
    for (const std::string good : {"a: 1\nx:", "a: 1\nx: \n", "a: 1\nx: ~", "a: 1\nx: &b", "{a: 1, x}",
                                   "a: {x}", "? a", "- a", "a: b\n c"})
        CHECK_MESSAGE(!refused(good), good);
}

TEST_CASE("a file is UTF-8") {
    const auto error = [](const std::string& bytes) { return error_of("a: 1\nb: " + bytes + "\n"); };
    for (const std::string good : {"\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                                   "\xEE\x80\x80", "\xEF\xBF\xBD", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        CHECK(error("x" + good).find("UTF-8") == std::string::npos);
    for (const std::string bad : {"\x80", "\xC1\xBF", "\xC2", "\xC2\x7F", "\xC2\xC0", "\xE0\x9F\xBF",
                                  "\xE1\x80", "\xED\xA0\x80", "\xEF\xBF\xC0", "\xF0\x8F\xBF\xBF",
                                  "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF1\x80\x80\x7F", "\xFF"})
        CHECK(error("x" + bad) ==
              "f.yaml:2:1: [adamant] a YAML file is UTF-8 text: this line has a byte that is not.");
    CHECK(error(std::string(1, '\0')) ==
          "f.yaml:2:1: [adamant] a YAML file is UTF-8 text: this line has a zero byte.");
}

TEST_CASE("a path has a key on either side of every dot") {
    const std::string text = "a: {b: {}}\n";
    CHECK(error_of(text, "a.b").empty());
    for (const std::string path : {".", "a.", "a.b.", ".a", "a..b"})
        CHECK(error_of(text, path).find("[adamant] a path leads from key to key: there is no ''") !=
              std::string::npos);
}

TEST_CASE("foreign tags and aliases inside their own anchor are errors where they are read") {
    CHECK(error_of("a: !!python/object {}\n", "a").find("tag:yaml.org,2002:python/object") !=
          std::string::npos);
    CHECK(error_of("a: &a {b: *a}\n", "a.b").find("inside its own anchor") != std::string::npos);
    CHECK(error_of("a: &a {b: *a}\nc: {}\n", "c").empty());
    CHECK(only("a: !!null 5")->find("a")->value->kind == node::type::null);
    CHECK(only("a: !!float 5")->find("a")->value->problem.empty());
    CHECK(only("a: !!map {}")->find("a")->value->problem.empty());
    CHECK(only("a: ~\nb: NULL")->find("a")->value->kind == node::type::null);
    CHECK(only("a: ~\nb: NULL")->find("b")->value->kind == node::type::null);
    const auto root = only("a: !!str 5\nb: !!int 5\n");
    CHECK(root->find("a")->value->quoted);
    CHECK(root->find("b")->value->problem.empty());
}

TEST_CASE("foreign tags in lists and on keys are found too, and a quote after an anchor must close") {
    const auto refused = [](const std::string& text) {
        try {
            (void)yaml::resolve(yaml::load_text(text, "f.yaml"));
        } catch (const config_error&) { return true; }
        return false;
    };
    CHECK(refused("betas: [!foo 0.9, 0.999]"));
    CHECK(refused("!bar lr: 1e-4"));
    CHECK(refused("lr: !foo 1e-4"));
    CHECK(error_of("note: &n \"abc\n") ==
          "f.yaml:1:7: [adamant] a quoted text ends with its quote: the file ends before.");
    CHECK(error_of("note: !!str 'abc\n").find("ends with its quote") != std::string::npos);
    CHECK(error_of("note: &n 'abc'\n").empty());
}

TEST_CASE("byte order mark and CRLF change nothing") {
    const auto root = only(
        "\xEF\xBB\xBF"
        "a: 1\r\nb: two  # comment\r\n");
    CHECK(root->find("a")->value->text == "1");
    CHECK(root->find("b")->value->text == "two");
    CHECK(root->find("b")->where.line == 2);
}

TEST_CASE("a second document is an error that gives its line, unless one is chosen") {
    CHECK(
        error_of("a: {}\n---\na: {}\n", "a").find("f.yaml:3:1: [adamant] a configuration has one document") ==
        0);
    CHECK(error_of("a: {}\n---\nb: {}\n", "b#1").empty());
    CHECK(error_of("a: {}\n---\nb: {}\n", "b#2").find("this file has 2") != std::string::npos);
    CHECK(error_of("a: {}\n", "a#x").find("path#1") != std::string::npos);
    CHECK(error_of("").find("empty") != std::string::npos);
    CHECK(error_of("# only a comment\n").find("empty") != std::string::npos);
}

TEST_CASE("broken YAML names file, line and column") {
    CHECK(error_of("a: [1, 2\nb: 3\n").find("f.yaml:2:") == 0);
    CHECK(error_of("a: 1\nb: \"x\n") ==
          "f.yaml:2:4: [adamant] a quoted text ends with its quote: the file ends before.");
    CHECK(error_of("b: 'it''s\n").find("f.yaml:1:4") == 0);
    CHECK(error_of("b: \"x\\\"\n").find("f.yaml:1:4") == 0);
    CHECK(error_of("b: 'x'\nc: \"y\\\"\"\nd: it's\n").empty());
    CHECK(error_of("a: {b: 1\n").find("f.yaml:2:1: [adamant] a configuration is valid YAML") == 0);
    CHECK(error_of(std::string("a: 1\nb: \0 2\n", 12))
              .find("f.yaml:2:1: [adamant] a YAML file is UTF-8 text") == 0);
    CHECK(error_of(",").find("f.yaml:1:1: [adamant] a configuration is valid YAML: a comma") == 0);
    CHECK(error_of("a: 1\n  ,b: 2\n").find("f.yaml:") == 0);
    CHECK(error_of("a: *nowhere\n").find("f.yaml:1:") == 0);
}

TEST_CASE("depth is bounded, however it is made") {
    std::string nested = "a: ";
    for (int i = 0; i < 5000; ++i) nested += "[";
    CHECK(error_of(nested).find("f.yaml:") == 0);
    std::string chain = "x0: &x0 {a: 1}\n";
    for (int i = 1; i < 3000; ++i) {
        const std::string n = std::to_string(i), before = std::to_string(i - 1);
        chain += "x" + n + ": &x" + n + " {a: *x" + before + "}\n";
    }
    CHECK(error_of(chain, "x2999").find("500 levels") != std::string::npos);
}

TEST_CASE("a path leads from key to key, and its error names the nearest") {
    CHECK(error_of("actor:\n  optim: {}\n", "actor.optm")
              .find("there is no 'optm' in 'actor'; do you mean 'optim'?") != std::string::npos);
    CHECK(error_of("actor: 5\n", "actor.optim").find("there is no 'optim' in 'actor'") != std::string::npos);
    CHECK(error_of("actor:\n", "actor").find("f.yaml:1:1: actor: null: [adamant] a section is a map") == 0);
    CHECK(error_of("actor: {optim: null}\n", "actor.optim").find("actor.optim: null") != std::string::npos);
}

TEST_CASE("a file that cannot be read says why") {
    const auto error_of_file = [](const char* file) {
        try {
            (void)yaml::load(file);
        } catch (const config_error& e) { return std::string(e.what()); }
        return std::string();
    };
    CHECK(error_of_file("/no/such/file.yaml") ==
          "/no/such/file.yaml: [adamant] a configuration is a readable file: this one does not exist.");
    CHECK(error_of_file("/") == "/: [adamant] a configuration is a readable file: this is a directory.");
}
