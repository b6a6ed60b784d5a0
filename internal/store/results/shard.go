package results

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a part of all tests, determined by their content. The parts of one division are disjoint
// and together have every test, wherever the tests come from and in whatever order. The zero Shard
// has all tests.
type Shard struct{ I, N int } // part I of N, from 1

// Slurm stands, in ParseShard, for the task of a Slurm job array.
const Slurm = "slurm"

// ParseShard reads I/N or "slurm", which is the task of a job array that runs this process,
// according to its environment (sbatch(1), INPUT AND OUTPUT ENVIRONMENT VARIABLES). The tasks of an
// array may begin with any number.
func ParseShard(text string, environment func(string) string) (Shard, error) {
	var s Shard
	var err error
	if text == Slurm {
		s, err = ofArray(environment)
	} else {
		i, n, two := strings.Cut(text, "/")
		s.I, err = strconv.Atoi(i)
		if err == nil {
			s.N, err = strconv.Atoi(n)
		}
		if err != nil || !two {
			return Shard{}, fmt.Errorf("a shard is I/N, such as 3/8, or slurm within a job array; not %q", text)
		}
	}
	switch {
	case err == nil && s.N < 1:
		err = fmt.Errorf("a shard is one of 1 or more, not of %d: %s", s.N, text)
	case err == nil && (s.I < 1 || s.I > s.N):
		err = fmt.Errorf("there is no shard %s: they count from 1", s)
	}
	return s, err
}

// ofArray returns the shard of a task of a job array (sbatch(1), "OUTPUT ENVIRONMENT VARIABLES").
// If the first number of the array is unknown, it is taken to be 0, or 1 if the task has the number
// COUNT: task COUNT then has the shard of task 0.
func ofArray(environment func(string) string) (Shard, error) {
	read := func(name string) (n int, err error) {
		name = "SLURM_ARRAY_TASK_" + name
		text := environment(name)
		if n, err = strconv.Atoi(text); err != nil {
			err = fmt.Errorf("%s is %q: --shard slurm is for a task of a Slurm job array (sbatch --array)", name, text)
		}
		return n, err
	}
	id, err := read("ID")
	if err != nil {
		return Shard{}, err
	}
	count, err := read("COUNT")
	if err != nil {
		return Shard{}, err
	}
	first, noFirst := read("MIN")
	last, noLast := read("MAX")
	if noFirst != nil || noLast != nil {
		if count < 1 || id < 0 || id > count {
			return Shard{}, fmt.Errorf("there is no task %d in a job array of %d that begins with 0 or 1", id, count)
		}
		return Shard{id%count + 1, count}, nil
	}
	if last-first+1 != count {
		return Shard{},
			fmt.Errorf("the job array has %d tasks from %d to %d: shards want one without gaps (sbatch --array=1-%d)",
				count, first, last, count)
	}
	return Shard{id - first + 1, count}, nil
}

// String returns the shard in the format that ParseShard reads.
func (s Shard) String() string {
	if s.N == 0 {
		return "1/1"
	}
	return fmt.Sprintf("%d/%d", s.I, s.N)
}

// hashPrefix is the number of hexadecimal digits of a hash that determine the shard: 60 bits.
const hashPrefix = 15

// Has reports whether the test with this hash is in the shard. A test without a hash is in the
// first one.
func (s Shard) Has(hash string) bool {
	if s.N <= 1 {
		return true
	}
	n, _ := strconv.ParseUint(hash[:min(hashPrefix, len(hash))], 16, 64)
	return int(n%uint64(s.N))+1 == s.I
}
