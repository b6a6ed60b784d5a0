package compile

import (
	"fmt"
	"regexp"
	"strings"
)

// LLVM's back end for PTX does not say how many work items a group of a kernel must have: its representation of programs does, in metadata.
var (
	requires = regexp.MustCompile(`(?m)^define .*@([\w.$]+)\(.*!reqd_work_group_size (!\d+)`)
	sizes    = regexp.MustCompile(`(?m)^(!\d+) = !\{i32 (\d+), i32 (\d+), i32 (\d+)\}`)
	entry    = regexp.MustCompile(`\.entry\s+([\w.$]+)\s*\([^)]*\)\s*`)
)

// sized is PTX whose kernels say how many threads a block has, where the program in LLVM's representation does (reqd_work_group_size).
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
