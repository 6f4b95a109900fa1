#include "tests/fuzz/placeholders.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "sandbox/core/test_cards.h"

namespace tollbridge::fuzz {
namespace {

constexpr std::string_view kPieceEnd = "{|}";
constexpr std::string_view kLength = "{N}";
constexpr std::string_view kEmptyLine = "\r\n\r\n";
constexpr std::string_view kNoId = "00000000-0000-4000-8000-000000000000";
constexpr std::size_t kIdSize = 36;
constexpr std::size_t kRemembered = 10;
constexpr std::array<std::string_view, 3> kKeys = {
    "sandbox-demo-key:", "sandbox-shop-key:", "sandbox-limited-key:"};

/// Adds what is new in front.
void Remember(std::string_view value, std::deque<std::string>* known) {
  if (std::ranges::find(*known, value) != known->end()) return;
  known->emplace_front(value);
  if (known->size() > kRemembered) known->pop_back();
}

void LearnAfter(std::string_view before, std::string_view text, std::deque<std::string>* known) {
  for (std::size_t at = text.find(before); at != text.npos; at = text.find(before, at + 1)) {
    const std::string_view id = text.substr(at + before.size(), kIdSize);
    if (id.size() == kIdSize) Remember(id, known);
  }
}

/// The JSON string that follows, as it is written.
void LearnText(std::string_view before, std::string_view text, std::deque<std::string>* known) {
  const std::size_t at = text.find(before);
  if (at == text.npos) return;
  text.remove_prefix(at + before.size());
  std::size_t end = 0;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  if (end < text.size()) Remember(text.substr(0, end), known);
}

std::string At(const std::deque<std::string>& known, std::size_t number) {
  return number < known.size() ? known[number] : std::string(kNoId);
}

/// A piece with its {N}s filled in, each with what follows the next empty line.
std::string FillLengths(std::string piece) {
  for (std::size_t at = piece.rfind(kLength); at != piece.npos; at = piece.rfind(kLength, at)) {
    const std::size_t line = piece.find(kEmptyLine, at);
    const std::size_t body = line == piece.npos ? 0 : piece.size() - line - kEmptyLine.size();
    piece.replace(at, kLength.size(), std::to_string(body));
    if (at == 0) break;
    --at;
  }
  return piece;
}

}  // namespace

std::string Placeholders::TakePiece(std::string_view* input) const {
  const std::size_t end = std::min(input->find(kPieceEnd), input->size());
  std::string_view rest = input->substr(0, end);
  input->remove_prefix(std::min(input->size(), end + kPieceEnd.size()));
  std::string piece;
  while (!rest.empty()) {
    const std::size_t open = std::min(rest.find('{'), rest.size());
    piece += rest.substr(0, open);
    rest.remove_prefix(open);
    const std::size_t close = rest.substr(0, 5).find('}');
    if (rest.empty() || close == rest.npos || rest.starts_with(kLength)) {
      piece += rest.substr(0, 1);
      rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
      continue;
    }
    piece += Value(rest.substr(0, close + 1));
    rest.remove_prefix(close + 1);
  }
  return FillLengths(std::move(piece));
}

std::string Placeholders::Value(std::string_view name) const {
  if (name.size() < 3) return std::string(name);
  const std::string_view digits = name.substr(2, name.size() - 3);
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!digits.empty() && (problem != std::errc() || end != digits.data() + digits.size())) {
    return std::string(name);
  }
  switch (name[1]) {
    case 'O':
    case 'T':
    case 'S':
      return OfOrder(name[1], number);
    case 'V':
      return At(vault_tokens_, number);
    case 'L':
      return At(links_, number);
    case 'W':
      return At(wallet_messages_, number);
    case 'P':
      return std::string(sandbox::TestCards()[number % sandbox::TestCards().size()].pan);
    case 'A':
      return "Basic " + Base64Encode(kKeys.at(number % kKeys.size()));
    default:
      return std::string(name);
  }
}

std::string Placeholders::OfOrder(char kind, std::size_t number) const {
  const std::vector<Uuid>& ids = world_->orders.by_creation();
  if (number >= ids.size()) return std::string(kNoId);
  const Uuid& id = ids[ids.size() - 1 - number];
  if (kind == 'O') return id.ToString();
  const sandbox::Order* order = world_->orders.Find(id);
  if (order == nullptr || order->transactions.empty()) return std::string(kNoId);
  const sandbox::Transaction& transaction = order->transactions.back();
  if (kind == 'T') return transaction.id.ToString();
  const auto* token = transaction.details.if_contains("setup_token");
  return token != nullptr && token->is_string() ? std::string(token->get_string())
                                                : std::string(kNoId);
}

void Placeholders::Learn(std::string_view answered) {
  LearnAfter(R"("vault_token":")", answered, &vault_tokens_);
  LearnAfter(R"("vaultToken":")", answered, &vault_tokens_);
  LearnAfter("/pay/link/", answered, &links_);
  LearnText(R"("walletPayMessage":")", answered, &wallet_messages_);
}

}  // namespace tollbridge::fuzz
