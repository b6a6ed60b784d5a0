package compile

import (
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// target stands for the architecture in the steps of a recipe.
const target = "TARGET"

// baseline is the architecture for compilers that do not list theirs.
const baseline = "sm_70"

// newestTarget is the newest architecture whose PTX muster reads. From sm_100 on, compilers emit
// operations on pairs of floating-point numbers in one register (add.f32x2), which are not
// modelled.
const newestTarget = 90

// namesTarget matches the architecture in flags of nvcc and of clang.
var namesTarget = regexp.MustCompile(
	`(?:^|\s)(?:--?(?:gpu-architecture|cuda-gpu-arch|offload-arch|arch)|(?:-gencode|--generate-code)[= ]arch)[= ](\S+?)(?:,|\s|$)`)

// aim returns the architecture for a recipe: the one in the flags, or the newest that the compiler
// and muster know.
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

// listed matches the architectures that nvcc lists.
var listed = regexp.MustCompile(`(?m)^compute_(\d+)\s*$`)

// newestIn returns the newest architecture of a list that muster knows, too: sm_90 of compute_80,
// compute_90 and compute_120. If all are newer, it returns the oldest.
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
