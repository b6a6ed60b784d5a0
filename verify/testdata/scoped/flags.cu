// Data behind a flag. What synchronization through memory orders is no race to the memory model; verify, which orders by
// barriers, says that it is one.
#include "scopes.h"

#define MESSAGE(name, write, read)        \
  KERNEL(name) {                          \
    if (BLOCK == 0) {                     \
      if (THREAD == 0) {                  \
        a[1] = 42;                        \
        write;                            \
      }                                   \
    } else if (THREAD == 0) {             \
      read;                               \
      if (ready == 1)                     \
        out[0] = a[1];                    \
    }                                     \
  }

MESSAGE(release_acquire, ST("release.gpu", a, 1), int ready = LD("acquire.gpu", a))
MESSAGE(relaxed, ST("relaxed.gpu", a, 1), int ready = LD("relaxed.gpu", a))
MESSAGE(release_relaxed, ST("release.gpu", a, 1), int ready = LD("relaxed.gpu", a))
MESSAGE(relaxed_acquire, ST("relaxed.gpu", a, 1), int ready = LD("acquire.gpu", a))
MESSAGE(fences, FENCE("acq_rel.gpu"); ST("relaxed.gpu", a, 1), int ready = LD("relaxed.gpu", a); FENCE("acq_rel.gpu"))
MESSAGE(fence_of_the_writer, FENCE("acq_rel.gpu"); ST("relaxed.gpu", a, 1), int ready = LD("relaxed.gpu", a))
MESSAGE(fences_of_a_block, FENCE("acq_rel.cta"); ST("relaxed.gpu", a, 1), int ready = LD("relaxed.gpu", a); FENCE("acq_rel.cta"))
MESSAGE(release_cta, ST("release.cta", a, 1), int ready = LD("acquire.gpu", a))
MESSAGE(atomics, ATOM("release.gpu.exch.b32", a, 1), int ready = ATOM("acquire.gpu.or.b32", a, 0))
