#pragma once
// How large the records of threads may be: checked by every store before it writes, so that what is
// there can be read in one piece. Backstops; what clients may send is limited in api/.
#include "base/result.hpp"
#include "core/threads.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace atl::core {

inline constexpr std::size_t kNameBytesMax = 4096;  // an owner, a title, a model, …
inline constexpr std::size_t kThreadMemoryBytesMax = 1u << 20;
inline constexpr std::size_t kThreadFilesMax = 256;
inline constexpr std::size_t kClientIdBytesMax = 4096;
inline constexpr std::size_t kThreadOriginsMax = 256;

// Each throws TooLarge with a sentence.
void check_size(const std::vector<ThreadMessage>& messages);
void check_size(const ThreadRecord& record);
void check_size(const ThreadPatch& patch);
void check_size(const UploadRecord& record);

// Where a version made from `from`, with its turns up to `turn`, has its turns from. Of too many
// entries the oldest are left out: its first turns are its own then.
[[nodiscard]] std::vector<ThreadOrigin> origins_after(const ThreadRecord& from, std::uint64_t turn);
// As stores keep them, "th-a 2 th-b 5"; what is no such text is no origin.
[[nodiscard]] std::string text_of(const std::vector<ThreadOrigin>& origins);
[[nodiscard]] std::vector<ThreadOrigin> origins_in(std::string_view text);

// Keys of marks: so many at most, and each an id in form. InvalidArgument.
void check_mark_keys(const std::vector<std::string>& keys);

}  // namespace atl::core
