package compile

import (
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// target is the word that stands for an architecture in the steps of a recipe.
const target = "TARGET"

// baseline is the architecture of compilers that do not say which ones they know.
const baseline = "sm_70"

// newestTarget is the newest architecture whose PTX muster reads as compilers write it. From sm_100
// on they compute with pairs of floating-point numbers in one register (add.f32x2), which is not
// modelled.
const newestTarget = 90

// namesTarget finds the architecture that flags name, as nvcc and as clang write it.
var namesTarget = regexp.MustCompile(
	`(?:^|\s)(?:--?(?:gpu-architecture|cuda-gpu-arch|offload-arch|arch)|(?:-gencode|--generate-code)[= ]arch)[= ](\S+?)(?:,|\s|$)`)

// aim returns the architecture for a recipe: the one that the flags name, or the newest that the
// compiler and muster know.
func (r recipe) aim(ctx context.Context, flags []string) string {
	if m := namesTarget.FindStringSubmatch(strings.Join(flags, " ")); m != nil {
		return strings.Replace(m[1], "compute_", "sm_", 1)
	}
	if r.compiler != NVCC {
		return baseline
	}
	list, err := exec.CommandContext(ctx, r.path(NVCC, ""), "--list-gpu-arch").Output()
	if err != nil { // before CUDA 11
		return baseline
	}
	return newestIn(string(list))
}

// listed are the architectures that nvcc lists.
var listed = regexp.MustCompile(`(?m)^compute_(\d+)\s*$`)

// newestIn returns the newest architecture of a list that muster knows, too: sm_90 of compute_80,
// compute_90 and compute_120. If all are newer, it is the oldest.
func newestIn(list string) string {
	best, oldest := 0, 0
	for _, m := range listed.FindAllStringSubmatch(list, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		if n <= newestTarget {
			best = max(best, n)
		}
		if oldest == 0 || n < oldest {
			oldest = n
		}
	}
	switch {
	case best > 0:
		return "sm_" + strconv.Itoa(best)
	case oldest > 0:
		return "sm_" + strconv.Itoa(oldest)
	}
	return baseline
}
