// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! The exceptions: one class per kind of mistake, all derived from adamant::error.
#pragma once

#include <stdexcept>
#include <string>

namespace adamant::inline v0 {

//! Base of every exception that the library throws itself.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

//! A configuration that is not valid: a rule, a hyperparameter, a YAML key.
class config_error : public error {
public:
    using error::error;
};

//! Tensors that do not fit what the optimizer was built for: count, size, dtype, shape, pointer.
class shape_error : public error {
public:
    using error::error;
};

//! A request that the state cannot answer: an unknown slot or tensor, a slot the policy does not have.
class state_error : public error {
public:
    using error::error;
};

//! A call to CUDA that failed; code() is its cudaError_t.
class cuda_error : public error {
public:
    cuda_error(const std::string& sentence, int code) : error(sentence), code_(code) {}
    int code() const noexcept { return code_; }

private:
    int code_;
};

//! A call to another rank that failed or was not answered. What was under way is lost: the optimizer that threw
//! it and its communicator are only good to be destroyed.
class communication_error : public error {
public:
    using error::error;
};

//! A checkpoint that cannot be written, read or taken: the file, the tensor, and what is wrong with it.
class checkpoint_error : public error {
public:
    using error::error;
};

}  // namespace adamant::inline v0
