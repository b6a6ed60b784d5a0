package harness

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMentioned: mentioned finds the same registers as a regular expression, whose search took most
// of the time of a test without a GPU.
func TestMentioned(t *testing.T) {
	kernels, err := filepath.Glob(filepath.Join("testdata", "*.ptx"))
	if err != nil || len(kernels) == 0 {
		t.Fatal("no kernels", err)
	}
	texts := []string{"%r_", "%r", "%", "%%r_a+%d_b%h_c]", "%x_a %tid.x %p_1a$b"}
	for _, k := range kernels {
		text, err := os.ReadFile(k)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	name := regexp.MustCompile(`%[prdh]_\w+`)
	for _, text := range texts {
		want := name.FindAllString(text, -1)
		slices.Sort(want)
		got := slices.Sorted(maps.Keys(mentioned(strings.Split(text, "\n"))))
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
