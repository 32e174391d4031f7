// Boost.JSON's own code, compiled here and only here: with that its headers are all we need, and
// the static guest links no shared Boost.
#include <boost/json/src.hpp>
