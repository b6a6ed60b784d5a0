package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// What is lost between LLVM's representation of a program and PTX.
var (
	// How many work items a group of a kernel must have is metadata, which the back end for PTX
	// does not know.
	requires = regexp.MustCompile(`(?m)^define .*@([\w.$]+)\(.*!reqd_work_group_size (!\d+)`)
	sizes    = regexp.MustCompile(`(?m)^(!\d+) = !\{i32 (\d+), i32 (\d+), i32 (\d+)\}`)
	entry    = regexp.MustCompile(`\.entry\s+([\w.$]+)\s*\([^)]*\)\s*`)

	// OpenCL has kernels call kernels, as functions. PTX has not, and clang does not let kernels be
	// put where they are called.
	calls   = regexp.MustCompile(`\bcall spir_kernel `)
	kernels = regexp.MustCompile(`(?m)^(attributes #\d+ = \{[^\n]*)\bnoinline( norecurse\b)`)

	// Bodies that are only there to be put where they are called, and may not be put there, such as
	// those of inline functions that require something.
	available = regexp.MustCompile(`(?m)^define available_externally `)

	// LLVM has a rotation take its distance modulo 64, and drops a mask that says so. PTX's shifts
	// by more than 63 leave nothing of a number, and the back end forgets that (LLVM 14,
	// NVPTXInstrInfo.td, ROTL64reg_sw and ROTR64reg_sw).
	rotation = regexp.MustCompile(`(sh[lr]\.b64\s+%lhs, %\w+), (%\w+);\s+sub\.u32\s+%amt2, 64, %\w+;`)
)

// turned returns PTX whose rotations of 64 bits go by their distance modulo 64.
func turned(ptx string) string {
	return rotation.ReplaceAllString(ptx,
		".reg .u32 %amt1; and.b32 %amt1, ${2}, 63;\n\t${1}, %amt1;\n\tsub.u32 %amt2, 64, %amt1;")
}

// whole has the passes keep, or put in place, what the program in a file calls.
func whole(file string) error {
	return edit(file, func(text string) string {
		text = available.ReplaceAllString(text, "define linkonce_odr ")
		if calls.MatchString(text) {
			text = kernels.ReplaceAllString(text, "${1}alwaysinline${2}")
		}
		return text
	})
}

// edit has a program in LLVM's language say something else. If the file is not there, the program
// is none of LLVM's.
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

// sized returns PTX whose kernels say how many threads a block has, where the program in LLVM's
// representation does (reqd_work_group_size).
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
