// SPDX-FileCopyrightText: 2026 The adamant authors
// SPDX-License-Identifier: Apache-2.0
//! Refused: one error at the end of a long way through templates.
// EXPECT-ERROR: [adamant] a cat has four legs: count them.
#ifdef TWIN
template <class T>
struct paw {};
#else
template <class T>
struct paw {
    static_assert(sizeof(T) == 2, "[adamant] a cat has four legs: count them.");
};
#endif
template <class T>
struct leg : paw<T> {};
template <class T>
struct body : leg<T> {};
template <class T>
struct cat : body<T> {};
template <class T>
struct basket : cat<T> {};
template <class T>
struct room : basket<T> {};
template <class T>
struct house : room<T> {};
template <class T>
struct street : house<T> {};
int main() { return sizeof(street<char>) > 0 ? 0 : 1; }
