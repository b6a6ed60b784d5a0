// Package slurm writes scripts with which Slurm (https://slurm.schedmd.com) runs a campaign: a job
// array whose tasks run one shard each, and a job that merges the results. Slurm starts tasks,
// restarts those that were lost with their machine, and manages the queue.
package slurm

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Campaign describes what is to run.
type Campaign struct {
	Dir     string   // for scripts, results and logs; all machines must see it
	Muster  string   // the program
	Args    []string // of muster run, with the tests; without -o and --shard
	Shards  int
	Time    string // of a task, as sbatch takes it; "" for the partition's
	Memory  string // likewise
	CPUs    int    // of a task
	Running int    // bounds the tasks that run at a time; 0 for no limit
	Options []string
}

// The names of the scripts, and of the merged results.
const (
	ArrayScript  = "array.sh"
	MergeScript  = "merge.sh"
	SubmitScript = "submit.sh"
	Results      = "results.jsonl"
)

// OfTasks are the flags of muster run that each task sets itself, with sample values.
var OfTasks = map[string]string{"out": "shard-1.jsonl", "shard": "1/1", "jobs": "1"}

// duration matches times as sbatch takes them.
var duration = regexp.MustCompile(`^(?i:\d+(:\d+){0,2}|\d+-\d+(:\d+){0,2}|infinite|unlimited)$`)

// Complete checks the campaign and fills in defaults: this program, and an absolute folder that
// does not depend on where the tasks start.
func (c *Campaign) Complete() (err error) {
	switch {
	case slices.Contains(c.Args, "-"):
		return fmt.Errorf("- is a stream, which no task can read")
	case c.Dir == "" || c.Shards < 1:
		return fmt.Errorf("campaign slurm takes a folder and the number of shards: -o FOLDER --shards N")
	case strings.ContainsAny(c.Dir, "\\\n"), strings.Contains(c.Dir, `"`) && strings.Contains(c.Dir, "'"):
		return fmt.Errorf("-o %q: into a folder of such a name Slurm writes no logs", c.Dir)
	case c.Running < 0 || c.CPUs < 0:
		return fmt.Errorf("--running and --cpus must not be negative")
	case c.Time != "" && !duration.MatchString(c.Time):
		return fmt.Errorf(
			"--time %s: expected minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or "+
				"days-hours:minutes:seconds", c.Time)
	}
	if c.Muster == "" {
		if c.Muster, err = os.Executable(); err != nil {
			return err
		}
	}
	c.Dir, err = filepath.Abs(c.Dir)
	return err
}

// Write writes the scripts.
func (c *Campaign) Write() error {
	for _, dir := range []string{c.Dir, filepath.Join(c.Dir, "logs")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		ArrayScript:  c.array(),
		MergeScript:  c.merge(),
		SubmitScript: c.submit(),
	} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// array returns the script of a task. The script states the number of shards itself, because for
// tasks that are submitted again (sbatch --array=3,7) Slurm gives only the number of those. Status
// 3 means that a limit cut some answer short: the task has done what it could.
func (c *Campaign) array() string {
	tasks := fmt.Sprintf("1-%d", c.Shards)
	if c.Running > 0 {
		tasks += fmt.Sprintf("%%%d", c.Running)
	}
	return c.header("array="+tasks, c.log("shard-%a.log")) + fmt.Sprintf(`
cd %s || exit
%s run %s --jobs "${SLURM_CPUS_PER_TASK:-1}" --shard "$SLURM_ARRAY_TASK_ID"/%d -o %s/shard-"$SLURM_ARRAY_TASK_ID".jsonl
status=$?
[ $status -eq 3 ] && status=0 # a limit cut some answer short: the records say which
exit $status
`, here(), quote(c.Muster), quoteAll(c.Args), c.Shards, quote(c.Dir))
}

// merge returns the script of the job that follows all tasks.
func (c *Campaign) merge() string {
	return c.header(c.log("merge.log")) + fmt.Sprintf(`
exec %s merge %s/shard-*.jsonl -o %s
`, quote(c.Muster), quote(c.Dir), quote(filepath.Join(c.Dir, Results)))
}

// submit returns the script that the user runs. The merge follows any end of the tasks, and reports
// what is missing.
func (c *Campaign) submit() string {
	return fmt.Sprintf(`#!/bin/sh
# Submits %d shards, and the merge of their results into %s.
set -e
array=$(sbatch --parsable %s)
merge=$(sbatch --parsable --dependency=afterany:"$array" %s)
echo "array $array, merge $merge"
`, c.Shards, quote(filepath.Join(c.Dir, Results)), quote(filepath.Join(c.Dir, ArrayScript)),
		quote(filepath.Join(c.Dir, MergeScript)))
}

// header returns the beginning of a batch script. A task that is lost is restarted and continues
// its file.
func (c *Campaign) header(options ...string) string {
	options = append(
		[]string{"job-name=muster", "requeue", "open-mode=append", fmt.Sprintf("cpus-per-task=%d", cmp.Or(c.CPUs, 1))},
		options...)
	for _, o := range []struct{ name, value string }{{"time", c.Time}, {"mem", c.Memory}} {
		if o.value != "" {
			options = append(options, o.name+"="+o.value)
		}
	}
	text := "#!/bin/sh\n"
	for _, o := range append(options, c.Options...) {
		text += "#SBATCH --" + o + "\n"
	}
	return text
}

// log returns the option for a log. Slurm interprets quotes and comments in lines of options, and %
// in names of files (sbatch(1), "filename pattern").
func (c *Campaign) log(pattern string) string {
	name := filepath.Join(strings.ReplaceAll(c.Dir, "%", "%%"), "logs", pattern)
	switch {
	case strings.Contains(name, `"`):
		return "output='" + name + "'"
	case strings.ContainsAny(name, " \t'#"):
		return `output="` + name + `"`
	}
	return "output=" + name
}

// here returns the folder that the arguments are relative to.
func here() string {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return quote(dir)
}

// quote quotes a word for a shell.
func quote(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune("_-./=:,@%+", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}
