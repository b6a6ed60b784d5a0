package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// All launches the alarms of a result and records what the launches show. It removes alarms that
// rely on something unmodelled and that no launch shows. If a folder is given, it writes the races
// as litmus tests there.
func All(ctx context.Context, r *verify.Result, folder string) error {
	for i, a := range slices.Clone(r.Alarms) {
		again, err := Run(ctx, r, a)
		if ctx.Err() != nil {
			a.Replay = fmt.Sprintf("not replayed: %v", context.Cause(ctx))
			continue
		}
		if err != nil {
			return err
		}
		a.Replay = again.String()
		if !again.Shown() && a.Unmodelled != "" {
			r.Doubt(a)
		}
		if folder == "" || !again.tests() {
			continue
		}
		base := strings.TrimSuffix(filepath.Base(r.Module.Name), filepath.Ext(r.Module.Name))
		name := fmt.Sprintf("%s-%s-%d", base, r.Kernel.Name, i+1)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		a.Litmus = filepath.Join(folder, name+".litmus")
		if err := os.WriteFile(a.Litmus, []byte(Litmus(name, again.Report, *again.Race)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// tests reports whether the race can be written as a litmus test: it is between two threads and two
// barriers, without asynchronous copies.
func (r *Replay) tests() bool {
	if r.Race == nil {
		return false
	}
	a, b := r.Race.First, r.Race.Second
	return !a.Copied() && !b.Copied() && !launch.ReadOnly(a, b) && launch.Racing(a, b)
}

// String describes the result of the replay.
func (r *Replay) String() string {
	if f := r.hinges; f != "" && r.Shown() {
		return "shown only if " + f + ", which has no body here, returns what it takes: " +
			strings.TrimPrefix(r.said(), "replayed: ")
	}
	return r.said()
}

func (r *Replay) said() string {
	switch {
	case !r.Shown():
		return "not replayed: " + r.Why
	case r.Fails != "":
		return "replayed: the launch fails there: " + r.Fails
	case r.Race != nil:
		return "replayed: " + r.decides()
	case r.Stuck != nil:
		return "replayed: " + r.waits(r.Stuck)
	}
	return fmt.Sprintf("replayed: it fails for thread %v", r.thread(r.Failure.Thread))
}

// at returns the position of an instruction: the line of the module, or the position in the source
// that was compiled.
func (r *Replay) at(in *kernel.Instr) string {
	if r.of.Module.Compiled != "" {
		return r.of.Where(in)
	}
	return fmt.Sprint("line ", in.At.Pos().Line)
}

func (r *Replay) thread(number int) launch.Dim {
	return r.Launch.Block.At(number % r.Launch.Block.Count())
}

// decides describes the outcomes of a race in either order of its threads.
func (r *Replay) decides() string {
	a, b := r.Race.First, r.Race.Second
	first, second := fmt.Sprint("thread ", r.thread(a.Thread)), fmt.Sprint("thread ", r.thread(b.Thread))
	if a.Block != b.Block {
		first += fmt.Sprint(" of block ", r.Launch.Grid.At(a.Block))
		second += fmt.Sprint(" of block ", r.Launch.Grid.At(b.Block))
	}
	if launch.ReadOnly(a, b) {
		if a.Writes {
			first, second = second, first
		}
		return first + " reads what " + second + " writes"
	}
	if a.Thread == b.Thread {
		return first + " comes to the one before it has waited for the other, its own copy"
	}
	if len(r.Orders) < 2 || r.Orders[0] == r.Orders[1] {
		return first + " and " + second + " come to the two accesses"
	}
	what := "memory holds"
	if !a.Writes || !b.Writes {
		what = "the read gets"
	}
	return fmt.Sprintf("%s %d if %s comes first, %d if %s does", what, r.Orders[0], first, r.Orders[1], second)
}
