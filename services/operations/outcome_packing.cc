#include "services/operations/outcome_packing.h"

#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/core/uuid.h"

namespace tollbridge::operations {
namespace {

// Layout: four bytes of the plain size, one of the number of UUIDs, those, and a raw deflate stream
// of the text, in which kEscape and a number stand for the UUID of that number, from 1, and kEscape
// and 0 for kEscape.
constexpr char kEscape = '\xff';
constexpr std::size_t kMaxUuids = 254;
constexpr std::size_t kUuidText = 36;
constexpr std::size_t kUuidBytes = 16;
constexpr std::size_t kSizeBytes = 4;

// Small tables: those of a long text are set up anew for each.
constexpr int kWindowBits = -12;
constexpr int kMemoryLevel = 4;
constexpr int kLevel = 6;
constexpr std::size_t kShortText = 512;

/// What is common comes last: a shorter distance takes fewer bits.
constexpr std::string_view kDictionary =
    "INVALID_REQUESTUPSTREAM_REFUSEDtype.googleapis.com/google.rpc.ErrorInfoprovider_type"
    "provider_statusoperation_idtollbridgeretryAFTER_CHANGENEVERSAFE_SAME_KEY"
    "redirect_urlsetup_tokenSend the customer to the transaction's payment_url"
    "wallet_bwallet_aexternal_cardcardpayment_linkcustomer_interactionfailurecancelederror"
    "processingcompletedauthorizedexpiredinitiatednewmanualautoPT30MP30DP7DP1DUSGBFRDEen-USde-DE"
    "en-GBCHFUSDGBPEUR/payments/transactions/orders/checkout/return?order_id=&token=?token=/failed?"
    "/cancel?/success?/done?@example.comhttps://hooks.example.com/https://shop.example.com/"
    "https://pay.example.com/***";

bool IsLowerHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// A UUID as Uuid::ToString writes it, at the beginning of the text.
std::optional<Uuid> UuidAt(std::string_view text) {
  if (text.size() < kUuidText || text[8] != '-' || text[13] != '-' || text[18] != '-' ||
      text[23] != '-') {
    return std::nullopt;
  }
  const std::string_view uuid = text.substr(0, kUuidText);
  if (!std::ranges::all_of(uuid, [](char c) { return c == '-' || IsLowerHex(c); })) {
    return std::nullopt;
  }
  return Uuid::Parse(uuid);
}

struct Parts {
  std::vector<Uuid> uuids;
  std::string text;
};

Parts TakeApart(std::string_view plain) {
  Parts parts;
  parts.text.reserve(plain.size());
  for (std::size_t at = 0; at < plain.size();) {
    if (const std::optional<Uuid> uuid = UuidAt(plain.substr(at))) {
      auto found = std::ranges::find(parts.uuids, *uuid);
      if (found != parts.uuids.end() || parts.uuids.size() < kMaxUuids) {
        if (found == parts.uuids.end()) found = parts.uuids.insert(found, *uuid);
        parts.text.push_back(kEscape);
        parts.text.push_back(static_cast<char>(found - parts.uuids.begin() + 1));
        at += kUuidText;
        continue;
      }
    }
    parts.text.push_back(plain[at]);
    if (plain[at] == kEscape) parts.text.push_back('\0');
    ++at;
  }
  return parts;
}

std::optional<std::string> PutTogether(const Parts& parts, std::size_t size) {
  std::string plain;
  plain.reserve(size);
  for (std::size_t at = 0; at < parts.text.size(); ++at) {
    if (parts.text[at] != kEscape) {
      plain.push_back(parts.text[at]);
      continue;
    }
    if (++at == parts.text.size()) return std::nullopt;
    const std::size_t number = static_cast<unsigned char>(parts.text[at]);
    if (number > parts.uuids.size()) return std::nullopt;
    if (number == 0) {
      plain.push_back(kEscape);
    } else {
      parts.uuids[number - 1].AppendTo(&plain);
    }
  }
  if (plain.size() != size) return std::nullopt;
  return plain;
}

unsigned char* Octets(std::string_view text) {
  // The libraries write nothing to their input.
  return const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(text.data()));
}

/// Has a stream of either library, which name their fields alike, read the one and write the other.
template <typename Stream>
void Connect(Stream& stream, std::string_view in, std::string& out) {
  stream.next_in = Octets(in);
  stream.avail_in = static_cast<std::uint32_t>(in.size());
  stream.next_out = Octets(out);
  stream.avail_out = static_cast<std::uint32_t>(out.size());
}

/// Deflates short texts one after the other with the fixed codes of deflate: so short a text has no
/// use for codes of its own, which take zlib longer to make than all else.
class ShortDeflater {
 public:
  ShortDeflater() {
    isal_deflate_init(&stream_);
    Require(isal_deflate_process_dict(&stream_, &dictionary_, Octets(kDictionary),
                                      static_cast<std::uint32_t>(kDictionary.size())));
  }

  std::optional<std::string> Deflate(std::string_view text) {
    isal_deflate_reset(&stream_);
    stream_.hist_bits = -kWindowBits;
    stream_.end_of_stream = 1;
    Require(isal_deflate_set_hufftables(&stream_, nullptr, IGZIP_HUFFTABLE_STATIC));
    Require(isal_deflate_reset_dict(&stream_, &dictionary_));
    std::string out(2 * text.size() + kRoom, '\0');
    Connect(stream_, text, out);
    const bool ok =
        ready_ && isal_deflate(&stream_) == COMP_OK && stream_.internal_state.state == ZSTATE_END;
    out.resize(stream_.total_out);
    return ok ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  /// Beyond two bytes for one, which the codes never take.
  static constexpr std::size_t kRoom = 64;

  void Require(int result) { ready_ = ready_ && result == COMP_OK; }

  isal_zstream stream_{};
  isal_dict dictionary_{};
  bool ready_ = true;
};

std::optional<std::string> DeflateLong(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  Connect(stream, text, out);
  const bool ok = deflateSetDictionary(&stream, Octets(kDictionary),
                                       static_cast<uInt>(kDictionary.size())) == Z_OK &&
                  deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return ok ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> Deflate(std::string_view text) {
  if (text.size() > kShortText) return DeflateLong(text);
  // What it has seen is overwritten by the next text.
  thread_local const auto deflater = std::make_unique<ShortDeflater>();
  return deflater->Deflate(text);
}

std::optional<std::string> Inflate(std::string_view deflated, std::size_t most) {
  z_stream stream{};
  if (inflateInit2(&stream, kWindowBits) != Z_OK) return std::nullopt;
  std::string out(most, '\0');
  Connect(stream, deflated, out);
  const bool ok = inflateSetDictionary(&stream, Octets(kDictionary),
                                       static_cast<uInt>(kDictionary.size())) == Z_OK &&
                  inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return ok ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::optional<std::string> PackOutcome(std::string_view plain) {
  const Parts parts = TakeApart(plain);
  const std::optional<std::string> deflated = Deflate(parts.text);
  if (!deflated.has_value()) return std::nullopt;
  std::string packed;
  packed.reserve(kSizeBytes + 1 + parts.uuids.size() * kUuidBytes + deflated->size());
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    packed.push_back(static_cast<char>((plain.size() >> shift) & 0xffU));
  }
  packed.push_back(static_cast<char>(parts.uuids.size()));
  for (const Uuid& uuid : parts.uuids) packed += uuid.ToBytes();
  return packed + *deflated;
}

std::optional<std::string> UnpackOutcome(std::string_view packed, std::size_t most) {
  if (packed.size() <= kSizeBytes) return std::nullopt;
  std::size_t size = 0;
  for (const char c : packed.substr(0, kSizeBytes)) {
    size = (size << 8U) | static_cast<unsigned char>(c);
  }
  const std::size_t count = static_cast<unsigned char>(packed[kSizeBytes]);
  packed.remove_prefix(kSizeBytes + 1);
  if (size > most || packed.size() < count * kUuidBytes) return std::nullopt;
  Parts parts;
  for (std::size_t i = 0; i < count; ++i) {
    parts.uuids.push_back(*Uuid::FromBytes(packed.substr(i * kUuidBytes, kUuidBytes)));
  }
  // Each byte of it takes two at most.
  std::optional<std::string> text = Inflate(packed.substr(count * kUuidBytes), 2 * size + 1);
  if (!text.has_value()) return std::nullopt;
  parts.text = *std::move(text);
  return PutTogether(parts, size);
}

}  // namespace tollbridge::operations
