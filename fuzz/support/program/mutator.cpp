// See mutator.h.
#include "support/program/mutator.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "flatbuffers/flatbuffers.h"
#include "support/hash.h"
#include "support/program/objects.h"
#include "support/program/places.h"
#include "support/program/valid.h"
#include "support/program/words.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace aoti_cts::fuzz {
namespace {

class InPlace {
 public:
  InPlace(uint8_t* data, Random& random) : data_(data), random_(random) {}

  void run(const Places& places) {
    for (size_t n = 1 + random_.below(3); n-- > 0;) {
      const size_t choice = random_.below(8);
      if (choice < 2 && !places.structure.empty()) {
        change(pick(places.structure), places.structure);
      } else if (choice == 2 && !places.slots.empty()) {
        store(pick(places.slots), 0);
      } else if (!places.values.empty()) {
        change(pick(places.values), places.values);
      }
    }
  }

 private:
  const Place& pick(const std::vector<Place>& places) {
    uint64_t all = 0;
    for (const Place& place : places) all += place.weight;
    uint64_t rest = random_.below(all);
    for (const Place& place : places) {
      if (rest < place.weight) return place;
      rest -= place.weight;
    }
    return places.back();
  }

  uint64_t load(const Place& place) const {
    uint64_t value = 0;
    std::memcpy(&value, data_ + place.at, place.width);
    return value;
  }

  void store(const Place& place, uint64_t value) {
    std::memcpy(data_ + place.at, &value, place.width);
  }

  void change(const Place& place, const std::vector<Place>& others) {
    const uint64_t top = uint64_t{1} << (8 * place.width - 1);  // the smallest negative number
    const uint64_t small[] = {0, 1, 2, 3, 7, 15, 16, 17, 32, 64};
    switch (random_.below(6)) {
      case 0:
        return store(place, small[random_.below(std::size(small))]);
      case 1:
        return store(place, load(place) + 1);
      case 2:
        return store(place, load(place) - 1);
      case 3:
        return store(place, top - random_.below(2));
      case 4:
        return store(place, load(others[random_.below(others.size())]));
      default:
        return store(place, uint64_t{0} - 1 - random_.below(2) * random_.next());
    }
  }

  uint8_t* data_;
  Random& random_;
};

/// Whether the tables can be walked: the mutator's own reads need no more than this to hold.
bool readable(const std::vector<uint8_t>& file) {
  if (file.size() < 12 || file.size() > (size_t{1} << 24)) return false;
  flatbuffers::Verifier verifier(file.data(), file.size());
  return wire::VerifyProgramBuffer(verifier);
}

size_t give(const std::vector<uint8_t>& file, uint8_t* out, size_t max_size) {
  if (file.size() > max_size) return 0;
  std::copy(file.begin(), file.end(), out);
  return file.size();
}

/// 0 where the bytes are no program that can be unpacked, or the result is too large.
size_t mutate_words(const std::vector<uint8_t>& file, uint8_t* out, size_t max_size,
                    Random& random) {
  auto objects = unpack(file.data(), file.size());
  if (!objects) return 0;
  change_words(*objects, random);
  return give(pack(*objects), out, max_size);
}

/// As it is, so that a refusal is judged, or with one change, so that one rule is broken at most.
size_t write_anew(uint8_t* out, size_t max_size, Random& random) {
  Objects objects = valid_program(random);
  if (random.one_in(2)) change_one_word(objects, random);
  return give(pack(objects), out, max_size);
}

}  // namespace

size_t mutate_program(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Random random(seed);
  if (random.one_in(8)) return LLVMFuzzerMutate(data, size, max_size);
  if (random.one_in(12)) {
    const size_t written = write_anew(data, max_size, random);
    if (written != 0) return written;
  }
  const std::vector<uint8_t> copy(data, data + size);  // the engine's own need not be aligned
  if (!random.one_in(3)) {
    const size_t changed = mutate_words(copy, data, max_size, random);
    if (changed != 0) return changed;
  }
  if (!readable(copy)) return LLVMFuzzerMutate(data, size, max_size);
  InPlace(data, random).run(places_of(copy.data(), size));
  // The last bytes matter to whoever reads behind the end.
  return random.one_in(16) ? size - random.below(std::min<size_t>(size, 32)) : size;
}

size_t cross_programs(const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,
                      uint8_t* out, size_t max_size, unsigned seed) {
  Random random(seed);
  const std::vector<uint8_t> first(data1, data1 + size1);
  const std::vector<uint8_t> second(data2, data2 + size2);
  auto objects = unpack(first.data(), first.size());
  auto other = unpack(second.data(), second.size());
  if (!objects || !other) return 0;
  cross_words(*objects, *other, random);
  return give(pack(*objects), out, max_size);
}

}  // namespace aoti_cts::fuzz
