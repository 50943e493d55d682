// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Files that are damaged, or not what the optimizer needs: one error that names file and tensor, and nothing
//! is changed.
#include "scratch.hpp"
#include "simulated_ranks.hpp"
#include "training.hpp"

#include <adamant/safetensors/safetensors.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <functional>

namespace {

using namespace adamant;
using checkpoints::training;
using nlohmann::json;

const policy_spec& fp8_policy() { return checkpoints::policies().front(); }

std::string head(std::uint64_t length) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xFF);
    return bytes;
}
std::string with_length(const std::string& text) { return head(text.size()) + text; }

//! A checkpoint, and what is made of it.
struct subject {
    checkpoints::scratch folder;
    training run{fp8_policy()}, other{fp8_policy(), 77};
    std::string bytes;

    subject() {
        run.steps(0, 5);
        other.steps(20, 24);
        safetensors::save(folder / "good.safetensors", run.optimizer, run.views());
        bytes = checkpoints::bytes_of(folder / "good.safetensors");
    }

    std::size_t length() const {
        std::size_t result = 0;
        for (int i = 7; i >= 0; --i) result = result << 8 | static_cast<unsigned char>(bytes[std::size_t(i)]);
        return result;
    }
    std::string data() const { return bytes.substr(8 + length()); }
    //! The file with its header changed.
    std::string edited(const std::function<void(json&)>& edit) const {
        json all = json::parse(bytes.substr(8, length()));
        edit(all);
        return with_length(all.dump()) + data();
    }
    //! The file with a piece of its header's text replaced.
    std::string replaced(const std::string& from, const std::string& to) const {
        std::string text = bytes.substr(8, length());
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        return with_length(text.replace(at, from.size(), to)) + data();
    }

    //! What load says of a file with these bytes.
    std::string complaint(const std::string& content) {
        checkpoints::write_bytes(folder / "bad.safetensors", content);
        return complaint_of(folder / "bad.safetensors");
    }
    std::string complaint_of(const std::string& path, const safetensors::load_options& options = {}) {
        const std::uint64_t before = other.digest();
        std::string text = "nothing was thrown";
        try {
            safetensors::load(path, other.optimizer, other.views(), options);
            CHECK(other.digest() != before);
        } catch (const checkpoint_error& e) {
            text = e.what();
            CHECK(other.digest() == before);
        }
        other = training(fp8_policy(), 77);
        return text;
    }
};

//! Whether a text is one of ours and has all the words.
bool says(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
        if (text.find(word) == std::string::npos) {
            MESSAGE(text << " -- lacks: " << word);
            return false;
        }
    return text.starts_with("[adamant] ") && text.ends_with(".");
}

}  // namespace

TEST_CASE("a file that is cut anywhere") {
    subject s;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}})
        CHECK(says(s.complaint(s.bytes.substr(0, size)), {"bad.safetensors", "length of its header"}));
    for (const std::size_t size : {std::size_t{8}, std::size_t{9}, std::size_t{100}, 7 + s.length()})
        CHECK(says(s.complaint(s.bytes.substr(0, size)), {"bad.safetensors", "bytes that follow"}));
    CHECK(says(s.complaint(s.bytes.substr(0, 8 + s.length())), {"tensor 'params.router'", "0 bytes follow"}));
    for (const std::size_t missing : {std::size_t{1}, std::size_t{40}, std::size_t{1000}})
        CHECK(
            says(s.complaint(s.bytes.substr(0, s.bytes.size() - missing)), {"data_offsets lie in the file"}));
    CHECK(says(s.complaint(s.bytes + "x"), {"a file ends with its last tensor"}));
    CHECK(s.complaint(s.bytes) == "nothing was thrown");
}

TEST_CASE("a header of impossible length, or of the other byte order") {
    subject s;
    for (const std::uint64_t length : {std::uint64_t{s.bytes.size()}, std::uint64_t{100'000'001},
                                       ~std::uint64_t{0}, std::uint64_t{1} << 63})
        CHECK(says(s.complaint(head(length) + s.bytes.substr(8)),
                   {"bad.safetensors", std::to_string(length), "100,000,000"}));
    std::string swapped = s.bytes;
    std::reverse(swapped.begin(), swapped.begin() + 8);
    CHECK(says(s.complaint(swapped), {"written big-endian?"}));
    CHECK(says(s.complaint(head(0) + s.data()), {"does not begin with '{'"}));
}

TEST_CASE("a header that is not JSON, or other JSON") {
    subject s;
    const std::pair<const char*, const char*> texts[]{
        {"{", "not JSON"},
        {"{]", "not JSON"},
        {"{}x", "not JSON"},
        {"{\"a\":\xFF}", "not JSON"},
        {"{\"\xFF\":{}}", "not JSON"},
        {"{\"a\":null}", "null has no place at 'a'"},
        {"{\"a\":[]}", "a list has no place at 'a'"},
        {"{\"a\":1}", "a number has no place at 'a'"},
        {"{\"a\":\"b\"}", "a string has no place at 'a'"},
        {"{\"a\":{}}", "it has no dtype"},
        {"{\"a\":{\"dtype\":\"F32\"}}", "it has no shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", "it has no data_offsets"},
        {"{\"a\":{\"dtype\":\"F31\"}}", "its dtype 'F31' is not known"},
        {"{\"a\":{\"dtype\":3}}", "a number has no place at 'dtype'"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", "it has 'dtype' twice"},
        {"{\"a\":{\"color\":1}}", "'color' is not dtype, shape or data_offsets"},
        {"{\"a\":{\"shape\":{}}}", "an object has no place at 'shape'"},
        {"{\"a\":{\"shape\":[[1]]}}", "a list has no place"},
        {"{\"a\":{\"shape\":[-1]}}", "a negative number has no place"},
        {"{\"a\":{\"shape\":[1.5]}}", "the number 1.5 has no place"},
        {"{\"a\":{\"shape\":[true]}}", "a boolean has no place"},
        {"{\"a\":{\"shape\":[9223372036854775808]}}", "2^63 - 1"},
        {"{\"a\":{\"data_offsets\":[0]}}", "data_offsets are two numbers"},
        {"{\"a\":{\"data_offsets\":[0,1,2]}}", "a number has no place"},
        {"{\"__metadata__\":{\"a\":1}}", "a number has no place at 'a'"},
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", "__metadata__ has 'a' twice"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", "__metadata__ stands there twice"},
        {"{\"__metadata__\":[]}", "a list has no place"},
        {"{}", "expected format 'adamant checkpoint', got none"},
    };
    for (const auto& [header, expected] : texts) {
        const std::string text = header;  // clang 14 captures no structured binding
        CAPTURE(text);
        CHECK(says(s.complaint(with_length(text)), {"bad.safetensors", expected}));
    }
    std::string deep = "{\"a\":";
    deep.append(100'000, '[');
    CHECK(says(s.complaint(with_length(deep)), {"a list has no place"}));
    CHECK(says(s.complaint(s.replaced("exp_avg.tail", "params.tail")),
               {"tensor 'params.tail'", "there twice"}));
}

TEST_CASE("offsets and shapes that do not fit") {
    subject s;
    const auto with = [&](const char* tensor, const char* key, json value) {
        return s.complaint(s.edited([&](json& all) { all[tensor][key] = std::move(value); }));
    };
    const std::int64_t end = static_cast<std::int64_t>(s.data().size());
    CHECK(says(with("exp_avg_sq.scale.tail", "data_offsets", {end, end + 1}),
               {"exp_avg_sq.scale.tail", "lie in the file"}));
    CHECK(says(with("exp_avg.router", "data_offsets", {end, end + 258}), {"one after the other"}));
    CHECK(says(with("exp_avg.router", "data_offsets", {300, 42}), {"exp_avg.router", "the smaller first"}));
    CHECK(says(with("params.scale", "data_offsets", {0, 2}),
               {"one after the other", "the tensor before it ends"}));
    CHECK(says(with("params.layer.weight", "data_offsets", {1032, 1634}), {"expected 600 bytes"}));
    CHECK(
        says(with("params.layer.weight", "shape", {20, 16}), {"params.layer.weight", "expected 640 bytes"}));
    CHECK(
        says(with("params.layer.weight", "shape", {1ll << 62, 1ll << 62}), {"params.layer.weight", "2^63"}));
    CHECK(says(with("params.layer.weight", "shape", {15, 20}), {"expected [20,15], got [15,20]"}));
    CHECK(
        says(with("params.layer.weight", "dtype", "F16"), {"params.layer.weight", "expected BF16, got F16"}));
    CHECK(
        says(with("exp_avg.layer.weight", "dtype", "F32"), {"exp_avg.layer.weight", "expected 1200 bytes"}));
    CHECK(says(with("empty.place", "data_offsets", {5, 5}), {"empty.place", "it has no dtype"}));
}

TEST_CASE("tensors of another model") {
    subject s;
    CHECK(says(s.complaint(s.replaced("\"params.tail\"", "\"params.tale\"")),
               {"'params.tail'", "it is not there"}));
    const std::string more = s.edited([&](json& all) {
        const std::size_t end = s.data().size();
        all["exp_avg.more"] = {{"dtype", "U8"}, {"shape", {0}}, {"data_offsets", {end, end}}};
    });
    CHECK(says(s.complaint(more), {"'exp_avg.more'", "the optimizer has none"}));
    std::vector<tensor_view> views = s.run.views();
    views.pop_back();
    CHECK_THROWS_AS(safetensors::save(s.folder / "x.safetensors", s.run.optimizer, views), shape_error);
    CHECK_THROWS_AS(safetensors::load(s.folder / "good.safetensors", s.run.optimizer, views), shape_error);
}

TEST_CASE("__metadata__ that save would not write") {
    subject s;
    const auto with = [&](const char* key, const char* value) {
        return s.complaint(s.edited([&](json& all) { all["__metadata__"][key] = value; }));
    };
    CHECK(says(with("format", "pt"), {"got 'pt'", "import_fp32"}));
    CHECK(says(with("format_version", "2"), {"expected format_version '1', got '2'"}));
    CHECK(says(with("byte_order", "big"), {"'byte_order' is little, got 'big'"}));
    for (const char* bad :
         {"", "-1", "+1", "01", " 1", "1 ", "1.0", "1e3", "0x1", "one", "9223372036854775808"}) {
        CAPTURE(bad);
        CHECK(says(with("step", bad), {"'step' is a decimal from 0 to 2^63 - 1", bad}));
    }
    CHECK(says(with("seed", "18446744073709551616"), {"'seed' is a decimal from 0 to 2^64 - 1"}));
    CHECK(says(with("state_is_history", "yes"), {"true or false, got 'yes'"}));
    CHECK(says(with("loss_scaler.scale", "inf"), {"'loss_scaler.scale' is finite and above 0"}));
    CHECK(says(with("loss_scaler.scale", "-2"), {"'loss_scaler.scale' is finite and above 0"}));
    CHECK(says(with("loss_scaler.growth", "-2"), {"'loss_scaler.growth'"}));
    CHECK(says(with("schedule_position", "-1"), {"'schedule_position'"}));
    CHECK(says(with("schedule.lr_decay_style", "Linear"), {"one of constant, linear", "got 'Linear'"}));
    CHECK(says(with("schedule.min_lr", "1"), {"min_lr is between 0 and lr"}));
    CHECK(says(with("policy.exp_avg", "fp9 stochastic"), {"'policy.exp_avg' is one of", "fp8_fine nearest"}));
    CHECK(says(with("policy.exp_avg", "fp8 nearest"), {"'policy' is policy<mode<bf16>"}));
    CHECK(says(with("policy.main_params", "bf16 nearest"), {"main_params"}));
    CHECK(says(with("policy", "policy<mode<fp32>>"), {"'policy' is policy<mode<bf16>"}));
    CHECK(says(with("policy_fingerprint", "0123456789abcdef"), {"'policy_fingerprint'"}));
    const auto without = [&](const char* key) {
        return s.complaint(s.edited([&](json& all) { all["__metadata__"].erase(key); }));
    };
    for (const char* key : {"step", "seed", "policy", "policy.mode", "beta1", "schedule.lr_decay_steps"})
        CHECK(says(without(key), {"its __metadata__ has no '" + std::string(key) + "'"}));
    CHECK(says(without("loss_scaler.scale"), {"it has no loss scale, the optimizer has a scaler"}));
    CHECK(says(with("parts", "[]"), {"'parts' is a JSON object"}));
    CHECK(says(with("parts", "{\"params.tail\":{\"begin\":-1,\"shape\":[1]}}"), {"params.tail"}));
    CHECK(says(with("parts", "{\"params.tail\":{\"begin\":1,\"shape\":[1]}}"), {"elements 1 to 2 of 1"}));
    CHECK(says(with("parts", "{\"params.tail\":{\"begin\":1,\"shape\":[3]}}"), {"expected [1], got [3]"}));
    CHECK(says(with("parts", "{\"params.gone\":{\"begin\":0,\"shape\":[1]}}"), {"params.gone", "not there"}));
}

TEST_CASE("what is no file") {
    subject s;
    CHECK(says(s.complaint_of(s.folder / "missing.safetensors"), {"missing.safetensors", "No such file"}));
    CHECK(says(s.complaint_of(s.folder.folder()), {"a folder or a device"}));
    REQUIRE(::mkfifo((s.folder / "fifo").c_str(), 0600) == 0);
    CHECK(says(s.complaint_of(s.folder / "fifo"), {"fifo", "a folder or a device"}));
    CHECK(says(s.complaint_of(s.folder / "good.safetensors/x"), {"Not a directory"}));
}

TEST_CASE("indices and their files") {
    subject s;
    const std::string index = s.folder / "a.json";
    const auto save = [&](const char* id, int ranks) {
        for (int rank = 0; rank < ranks; ++rank) {
            checkpoints::rank_access part(access_state(s.run.optimizer), rank, ranks);
            safetensors::save_rank(index, {rank, ranks, id}, part, s.run.views());
        }
    };
    save("one", 2);
    CHECK_THROWS_AS(safetensors::save_index(index, 3, "one"), checkpoint_error);
    safetensors::save_index(index, 2, "one");
    CHECK(s.complaint_of(index) == "nothing was thrown");
    const std::string first = s.folder / "a.one.rank-0-of-2.safetensors";
    CHECK(says(s.complaint_of(first), {"rank 0's", "load the .json file beside it"}));

    const auto with_files = [&](const json& files) {
        checkpoints::write_bytes(index, json{{"checkpoint_id", "one"}, {"files", files}}.dump());
        return s.complaint_of(index);
    };
    const std::string a = "a.one.rank-0-of-2.safetensors", b = "a.one.rank-1-of-2.safetensors";
    CHECK(with_files({b, a}) == "nothing was thrown");
    CHECK(says(with_files({a}), {"expected 2 files, as the first one says, got 1"}));
    CHECK(says(with_files({a, a}), {"an element is in one file"}));
    CHECK(says(with_files({a, "gone.safetensors"}), {"gone.safetensors", "No such file"}));
    CHECK(says(with_files({a, "../" + b}), {"without folders"}));
    CHECK(says(with_files({a, 3}), {"without folders"}));
    CHECK(says(with_files(json::array()), {"'files' is a list"}));
    CHECK(says(with_files({a, "good.safetensors"}), {"expected checkpoint_id 'one', got none"}));
    for (const char* text : {"", "{", "[]", "{}", "{\"files\":[\"a\"]}"}) {
        checkpoints::write_bytes(index, text);
        CHECK(says(s.complaint_of(index), {"a.json", "it is no JSON object with"}));
    }

    // The same id twice, with a step between: the files say that they are not of one checkpoint.
    save("two", 2);
    s.run.steps(5, 6);
    checkpoints::rank_access part(access_state(s.run.optimizer), 1, 2);
    safetensors::save_rank(index, {1, 2, "two"}, part, s.run.views());
    safetensors::save_index(index, 2, "two");
    CHECK(says(s.complaint_of(index), {"written together", "rank-1-of-2"}));

    // What a new index does not name is removed, and nothing else.
    const auto count = [&](const char* prefix) {
        int found = 0;
        for (const std::string& name : s.folder.files()) found += name.starts_with(prefix);
        return found;
    };
    checkpoints::rank_access whole(access_state(s.run.optimizer), 0, 1);
    safetensors::save_rank(s.folder / "a.b.json", {0, 1, "one"}, whole, s.run.views());
    safetensors::save_index(s.folder / "a.b.json", 1, "one");
    checkpoints::write_bytes(s.folder / "a.dead.rank-0-of-3.safetensors.77.tmp", "x");
    save("three", 3);
    safetensors::save_index(index, 3, "three");
    CHECK(s.complaint_of(index) == "nothing was thrown");
    CHECK(count("a.") == 1 + 3 + 2);
    CHECK(s.complaint_of(s.folder / "a.b.json") == "nothing was thrown");

    // A folder of indices is kept short too.
    for (const int step : {1, 2, 3}) {
        const std::string file = s.folder / ("step-" + std::to_string(step) + ".json");
        safetensors::save_rank(file, {0, 1, "one"}, whole, s.run.views());
        safetensors::save_index(file, 1, "one");
    }
    const safetensors::checkpoint_folder folder(s.folder.folder(), 2);
    folder.remove_before(3);
    CHECK(folder.list().size() == 2);
    CHECK(count("step-") == 2 * 2);
    CHECK(s.complaint_of(folder.newest()->path) == "nothing was thrown");
}

TEST_CASE("a gap between the parts of a tensor") {
    subject s;
    const std::string index = s.folder / "a.json";
    // Two ranks of three.
    for (int rank = 0; rank < 2; ++rank) {
        checkpoints::rank_access part(access_state(s.run.optimizer), rank, 3);
        safetensors::save_rank(index, {rank, 2, "one"}, part, s.run.views());
    }
    safetensors::save_index(index, 2, "one");
    CHECK(says(s.complaint_of(index), {"tensor_0004", "no file has element 2176"}));
}

TEST_CASE("names that clash, and names that are not UTF-8") {
    const auto saved = [](std::vector<tensor_info> infos) {
        const checkpoints::scratch folder;
        std::vector<float> a(3), b(3);
        const std::vector<std::span<float>> params{a, b};
        const adam<policy<mode<fp32>>> optimizer(infos, params, {});
        std::string text = "nothing was thrown";
        try {
            safetensors::save(folder / "x.safetensors", optimizer, params);
        } catch (const checkpoint_error& e) { text = e.what(); }
        CHECK(folder.files().size() == (text == "nothing was thrown" ? 1 : 0));
        return text;
    };
    CHECK(says(saved({{.name = "w"}, {.name = "w"}}), {"'exp_avg.w'", "x.safetensors"}));
    CHECK(says(saved({{.name = "tensor_0001"}, {}}), {"'exp_avg.tensor_0001'"}));
    CHECK(says(saved({{.name = "a\xFF"}, {}}), {"UTF-8"}));
    CHECK(saved({{.name = "quote\" \\ \n \u00e9"}, {.name = "__metadata__"}}) == "nothing was thrown");
}
