package main

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/store/slurm"
)

func (a *app) campaignCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "campaign",
		Short: "Run many tests on many machines",
	}
	cmd.AddCommand(a.slurmCommand())
	return cmd
}

func (a *app) slurmCommand() *cobra.Command {
	c := &slurm.Campaign{}
	cmd := &cobra.Command{
		Use:   "slurm -o FOLDER --shards N -- RUN-ARGUMENTS…",
		Short: "Write the scripts that have Slurm run a campaign",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c.Args = args
			err := cmp.Or(c.Complete(), a.try(args))
			if err == nil {
				err = c.Write()
			}
			if err == nil {
				fmt.Fprintln(a.out, filepath.Join(c.Dir, slurm.SubmitScript))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&c.Dir, "out", "o", "", "write scripts, results and logs into this `FOLDER`, which all machines see")
	f.IntVar(&c.Shards, "shards", 0, "split the tests into `N` shards, one a task")
	f.IntVar(&c.Running, "running", 0, "run at most `N` tasks at a time (default: as many as Slurm can)")
	f.IntVar(&c.CPUs, "cpus", 1, "give a task `N` cores")
	f.StringVar(&c.Time, "time", "", "bound the `TIME` of a task, as sbatch takes it (default: the partition's)")
	f.StringVar(&c.Memory, "mem", "", "bound the `MEMORY` of a task, as sbatch takes it (default: the partition's)")
	f.StringArrayVar(&c.Options, "sbatch", nil, "an `OPTION` of sbatch, such as partition=long (repeatable)")
	f.StringVar(&c.Muster, "muster", "", "the `PROGRAM` that tasks run (default: this one)")
	return cmd
}

// try checks arguments of run before a campaign is written with them: every task would fail on a
// bad one.
func (a *app) try(args []string) error {
	r := &running{app: a}
	cmd := r.command()
	if err := flags.Try(cmd, args, slurm.OfTasks); err != nil {
		return err
	}
	_, err := r.check()
	return cmp.Or(err, a.finder().Check(cmd.Flags().Args()...))
}
