#ifndef TOLLBRIDGE_TESTS_FUZZ_PLACEHOLDERS_H_
#define TOLLBRIDGE_TESTS_FUZZ_PLACEHOLDERS_H_

#include <deque>
#include <string>
#include <string_view>

#include "sandbox/core/world.h"

namespace tollbridge::fuzz {

/// Ids that the sandbox made, for inputs to refer to: an input of fixed bytes cannot know them.
/// {X0} is the newest, {X9} the tenth from there.
///
///   {O0} {T0} {S0}   an order, its last transaction, that one's setup token
///   {V0} {L0}        a vault token, a payment link, as they came in answers
///   {W0}             a walletPayMessage of wallet B, as it came, for between quotes
///   {P0}             a test card's number, by its place in TestCards()
///   {A} {A1} {A2}    the Authorization value of demo, shop and limited
///   {N}              bytes from the next empty line to the end of the piece: its Content-Length
///   {|}              ends a piece: what follows is written once the server has dealt with the
///   piece
class Placeholders {
 public:
  explicit Placeholders(const sandbox::World* world) : world_(world) {}

  /// Takes the next piece off the front of an input that is not empty, and puts everything in.
  std::string TakePiece(std::string_view* input) const;
  /// Remembers the vault tokens, payment links and wallet messages in an answer.
  void Learn(std::string_view answered);

 private:
  /// What stands for `{kind number}`; the text itself when it is no placeholder.
  std::string Value(std::string_view name) const;
  std::string OfOrder(char kind, std::size_t number) const;

  const sandbox::World* world_;
  std::deque<std::string> vault_tokens_;
  std::deque<std::string> links_;
  std::deque<std::string> wallet_messages_;
};

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_PLACEHOLDERS_H_
