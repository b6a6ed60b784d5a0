package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// Information that is lost between LLVM's representation of a program and PTX.
var (
	// The required size of a work group is metadata, which the back end for PTX ignores.
	requires = regexp.MustCompile(`(?m)^define .*@([\w.$]+)\(.*!reqd_work_group_size (!\d+)`)
	sizes    = regexp.MustCompile(`(?m)^(!\d+) = !\{i32 (\d+), i32 (\d+), i32 (\d+)\}`)
	entry    = regexp.MustCompile(`\.entry\s+([\w.$]+)\s*\([^)]*\)\s*`)

	// In OpenCL, kernels may call kernels as functions. PTX does not have this, and clang does not
	// inline kernels.
	calls   = regexp.MustCompile(`\bcall spir_kernel `)
	kernels = regexp.MustCompile(`(?m)^(attributes #\d+ = \{[^\n]*)\bnoinline( norecurse\b)`)

	// Bodies that exist for inlining only, and are not inlined, such as those of inline functions
	// with preconditions.
	available = regexp.MustCompile(`(?m)^define available_externally `)

	// A rotation of LLVM takes its distance modulo 64, and LLVM drops a mask that does the same.
	// PTX shifts by more than 63 give 0, which the back end ignores (LLVM 14, NVPTXInstrInfo.td,
	// ROTL64reg_sw and ROTR64reg_sw).
	rotation = regexp.MustCompile(`(sh[lr]\.b64\s+%lhs, %\w+), (%\w+);\s+sub\.u32\s+%amt2, 64, %\w+;`)
)

// turned returns PTX whose 64-bit rotations take their distance modulo 64.
func turned(ptx string) string {
	return rotation.ReplaceAllString(ptx,
		".reg .u32 %amt1; and.b32 %amt1, ${2}, 63;\n\t${1}, %amt1;\n\tsub.u32 %amt2, 64, %amt1;")
}

// whole makes the passes keep, or inline, the functions that the program in a file calls.
func whole(file string) error {
	return edit(file, func(text string) string {
		text = available.ReplaceAllString(text, "define linkonce_odr ")
		if calls.MatchString(text) {
			text = kernels.ReplaceAllString(text, "${1}alwaysinline${2}")
		}
		return text
	})
}

// edit rewrites a program in LLVM's language. It does nothing if the file does not exist, because
// then the recipe is not LLVM's.
func edit(file string, to func(text string) string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(to(string(text))), 0o644)
}

// sized returns PTX with the required block sizes of the LLVM program (reqd_work_group_size).
func sized(ptx, program string) string {
	of := map[string]string{}
	for _, m := range sizes.FindAllStringSubmatch(program, -1) {
		of[m[1]] = strings.Join(m[2:], ", ")
	}
	threads := map[string]string{}
	for _, m := range requires.FindAllStringSubmatch(program, -1) {
		threads[m[1]] = of[m[2]]
	}
	return entry.ReplaceAllStringFunc(ptx, func(head string) string {
		if n := threads[entry.FindStringSubmatch(head)[1]]; n != "" {
			return strings.TrimRight(head, "\n") + fmt.Sprintf("\n.reqntid %s\n", n)
		}
		return head
	})
}
