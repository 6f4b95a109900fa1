#ifndef TOLLBRIDGE_TESTS_E2E_LEAK_TEXTS_H_
#define TOLLBRIDGE_TESTS_E2E_LEAK_TEXTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/e2e/leak_marks.h"
#include "tests/e2e/leak_sinks.h"
#include "tests/e2e/support/mutations.h"
#include "tests/support/grpc_client.h"
#include "tests/support/leak_scan.h"
#include "tests/support/stack.h"

/// Card numbers in free text, in each of the 250 forms of tests/support/card_forms.h.
namespace tollbridge::test {

/// A text for each form, each with a number of its own.
class WrittenCards {
 public:
  explicit WrittenCards(Marks& marks);

  const std::vector<std::string>& texts() const { return texts_; }
  /// What was found: the text as a whole, in any encoding that LeakScan knows, or the digits of its
  /// number one after the other, whatever stands between them.
  std::vector<std::string> FoundIn(const Sink& sink) const;
  std::vector<std::string> FoundIn(const std::vector<Sink>& sinks) const;

 private:
  std::vector<std::string> texts_;
  /// By the text of the same place.
  std::vector<std::string> numbers_;
  LeakScan whole_;
};

/// Sends and hears these texts.
class LeakTexts {
 public:
  /// All outlive this.
  LeakTexts(Stack& stack, Marks& marks, LeakSinks& sinks)
      : stack_(stack), sinks_(sinks), cards_(marks) {}

  /// Each text in all fields of free text of an order that is made, but for merchant_order_id,
  /// which is an identifier.
  void CreateOrders();
  /// The same of all other requests that have such fields.
  void CallTheOthers();
  /// With rpc.refuse_card_numbers: what reads as a card number is refused, in every field.
  void BeRefusedAtTheDoor();
  /// Orders as the payment service shows them, with the texts as reasons and descriptions.
  void HearOrders();
  /// Errors of the payment service with the texts in them.
  void HearErrors();
  /// Waits until each order that was made, or heard of, is in an event.
  void AwaitEvents();

  const WrittenCards& cards() const { return cards_; }

 private:
  RpcReply Create(const std::string& key, const std::string& text);
  void CallWithEach(Kind kind);

  Stack& stack_;
  LeakSinks& sinks_;
  const WrittenCards cards_;
  /// Those of CreateOrders, one a text.
  std::vector<std::string> orders_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_LEAK_TEXTS_H_
