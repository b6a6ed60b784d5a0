package results_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/internal/store/results"
)

// TestShards: every test is in one shard, and the shards have similar sizes.
func TestShards(t *testing.T) {
	const tests = 10_000
	for _, n := range []int{1, 2, 7, 8, 1000} {
		size := make([]int, n+1)
		for i := range tests {
			sum := sha256.Sum256(fmt.Append(nil, i))
			in := 0
			for shard := 1; shard <= n; shard++ {
				if (results.Shard{I: shard, N: n}).Has(hex.EncodeToString(sum[:16])) {
					in++
					size[shard]++
				}
			}
			if in != 1 {
				t.Fatalf("a test is in %d of %d shards", in, n)
			}
		}
		for shard, got := range size[1:] {
			if mean := tests / n; got == 0 || got > 2*mean+20 {
				t.Errorf("shard %d/%d has %d tests, of %d", shard+1, n, got, tests)
			}
		}
	}
}

// TestStableShards: the shard of a test is written in files, so it must never change.
func TestStableShards(t *testing.T) {
	for hash, want := range map[string]results.Shard{
		"00000000000000080123456789abcdef": {I: 1, N: 8},
		"000000000000007f0123456789abcdef": {I: 8, N: 8}, // the last digit that counts is the 15th
		"819832b7aa282c7816874a6c2117f694": {I: 936, N: 1000},
	} {
		for i := 1; i <= want.N; i++ {
			if s := (results.Shard{I: i, N: want.N}); s.Has(hash) != (s == want) {
				t.Errorf("%s in %s: %t", hash, s, s.Has(hash))
			}
		}
	}
}

func TestParseShard(t *testing.T) {
	array := map[string]string{
		"SLURM_ARRAY_TASK_ID":    "12",
		"SLURM_ARRAY_TASK_MIN":   "10",
		"SLURM_ARRAY_TASK_MAX":   "17",
		"SLURM_ARRAY_TASK_COUNT": "8",
	}
	gaps := map[string]string{
		"SLURM_ARRAY_TASK_ID":    "1",
		"SLURM_ARRAY_TASK_MIN":   "1",
		"SLURM_ARRAY_TASK_MAX":   "9",
		"SLURM_ARRAY_TASK_COUNT": "2",
	}
	of := func(id, count string) map[string]string {
		return map[string]string{"SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_COUNT": count}
	}
	tests := []struct {
		text        string
		environment map[string]string
		want        string
	}{
		{"3/8", nil, "3/8"},
		{"slurm", array, "3/8"},
		{"9/8", nil, "there is no shard 9/8: they count from 1"},
		{"0/8", nil, "there is no shard 0/8: they count from 1"},
		{"1/0", nil, "a shard is one of 1 or more, not of 0: 1/0"},
		{"1/-2", nil, "a shard is one of 1 or more, not of -2: 1/-2"},
		{"3", nil, `a shard is I/N, such as 3/8, or slurm within a job array; not "3"`},
		{"a/b", nil, `a shard is I/N, such as 3/8, or slurm within a job array; not "a/b"`},
		{"slurm", of("0", "8"), "1/8"},
		{"slurm", of("7", "8"), "8/8"},
		{"slurm", of("8", "8"), "1/8"},
		{"slurm", of("9", "8"), "there is no task 9 in a job array of 8 that begins with 0 or 1"},
		{"slurm", of("1", "0"), "there is no task 1 in a job array of 0 that begins with 0 or 1"},
		{
			"slurm", of("1", "x"),
			`SLURM_ARRAY_TASK_COUNT is "x": --shard slurm is for a task of a Slurm job array (sbatch --array)`,
		},
		{"slurm", nil, `SLURM_ARRAY_TASK_ID is "": --shard slurm is for a task of a Slurm job array (sbatch --array)`},
		{"slurm", gaps, "the job array has 2 tasks from 1 to 9: shards want one without gaps (sbatch --array=1-2)"},
	}
	for _, tt := range tests {
		s, err := results.ParseShard(tt.text, func(name string) string { return tt.environment[name] })
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}
