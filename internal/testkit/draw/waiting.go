package draw

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Waiting draws threads in C that write, signal and wait for signals, by atomics or plain accesses.
func Waiting(t *rapid.T, arch string) string {
	order := func(orders ...string) string {
		return "memory_order_" + rapid.SampledFrom(orders).Draw(t, "order")
	}
	statements := map[string]func() string{
		"write": func() string { return "*x = 1;" },
		"tell": func() string {
			return fmt.Sprintf("atomic_store_explicit(y, 1, %s);", order("relaxed", "release", "seq_cst"))
		},
		"set": func() string { return "*z = 1;" },
		"count": func() string {
			return fmt.Sprintf("atomic_fetch_add_explicit(y, 1, %s);", order("relaxed", "acq_rel"))
		},
		"await": func() string {
			return fmt.Sprintf("while (atomic_load_explicit(y, %s) == %d) {}", order("relaxed", "acquire"),
				rapid.IntRange(0, 1).Draw(t, "while"))
		},
		"look": func() string { return "while (*z == 0) {}" },
		"read": func() string { return "r0 = *x;" },
		"peek": func() string { return fmt.Sprintf("r1 = atomic_load_explicit(y, %s);", order("relaxed", "acquire")) },
		"fence": func() string {
			return fmt.Sprintf("atomic_thread_fence(%s);", order("acquire", "release", "acq_rel"))
		},
	}
	names := slices.Sorted(maps.Keys(statements))
	at, space := "", ""
	var b, seen strings.Builder
	for i := range rapid.IntRange(2, 3).Draw(t, "threads") {
		body := []string{"int r0 = 0;", "int r1 = 0;"}
		for range rapid.IntRange(1, 3).Draw(t, "statements") {
			body = append(body, statements[rapid.SampledFrom(names).Draw(t, "statement")]())
		}
		if arch == "OPENCL" {
			at, space = fmt.Sprintf("@wg %d,dev 0 ", i), "global "
		}
		fmt.Fprintf(&b, "P%d%s(%sint* x, %satomic_int* y, %sint* z) {\n  %s\n}\n", i, at, space, space, space,
			strings.Join(body, "\n  "))
		fmt.Fprintf(&seen, "%d:r0;%[1]d:r1;", i)
	}
	return fmt.Sprintf("%s waiting\n{ x=0; y=0; z=0; }\n%slocations [%s]\nexists (0:r0=1)\n", arch, b.String(),
		seen.String())
}
