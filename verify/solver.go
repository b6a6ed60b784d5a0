package verify

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Command returns a Solver that runs a program: "z3", "cvc5", or any other, with its arguments,
// that reads SMT-LIB from standard input.
func Command(line string) (Solver, error) {
	args := strings.Fields(line)
	switch {
	case len(args) == 0:
		return nil, fmt.Errorf("%q is no command of a solver", line)
	case len(args) == 1 && strings.HasSuffix(args[0], "z3"):
		args = append(args, "-in")
	case len(args) == 1 && strings.HasSuffix(args[0], "cvc5"):
		args = append(args, "--lang=smt2")
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, fmt.Errorf("there is no solver %s: %w", args[0], err)
	}
	return command(append([]string{path}, args[1:]...)), nil
}

type command []string

func (c command) Unsat(ctx context.Context, question func(io.Writer) error) (bool, error) {
	var script bytes.Buffer
	if err := question(&script); err != nil {
		return false, err
	}
	cmd := exec.CommandContext(ctx, c[0], c[1:]...)
	cmd.Stdin = &script
	out, err := cmd.Output()
	switch answer := strings.TrimSpace(string(out)); {
	case answer == "unsat":
		return true, nil
	case answer == "sat":
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s: %w", c[0], err)
	default:
		return false, fmt.Errorf("%s says %q", c[0], answer)
	}
}
