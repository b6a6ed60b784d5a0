// Loads and stores with an order, and volatile ones.
#include "scopes.h"

#define PAIR(name, store, load)          \
  KERNEL(name) {                         \
    if (CELL == 0)                       \
      ST(store, a, 1);                   \
    else                                 \
      out[CELL] = LD(load, a);           \
  }

PAIR(relaxed_gpu, "relaxed.gpu", "relaxed.gpu")
PAIR(relaxed_cta, "relaxed.cta", "relaxed.cta")
PAIR(relaxed_sys, "relaxed.sys", "relaxed.sys")
PAIR(relaxed_and_weak, "relaxed.gpu", "weak")
PAIR(weak_and_relaxed, "weak", "relaxed.gpu")
PAIR(volatile_pair, "volatile", "volatile")
PAIR(volatile_and_weak, "volatile", "weak")
PAIR(volatile_and_gpu, "volatile", "relaxed.gpu")
PAIR(volatile_and_cta, "volatile", "relaxed.cta")
PAIR(release_acquire, "release.gpu", "acquire.gpu")
PAIR(release_cta_acquire, "release.cta", "acquire.gpu")
PAIR(release_acquire_cta, "release.gpu", "acquire.cta")
PAIR(weak, "weak", "weak")
