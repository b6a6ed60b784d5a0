package flags

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// Try parses arguments for a command as it would itself when it is run with some more flags, which the arguments must not have.
func Try(cmd *cobra.Command, args []string, more map[string]string) error {
	if err := cmd.ParseFlags(args); err != nil {
		return fmt.Errorf("muster %s: %w", cmd.Name(), err)
	}
	if slices.Contains(args, "--") {
		return fmt.Errorf("muster %s: flags come behind the arguments, which -- does not let them", cmd.Name())
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for the tasks to choose", name)
		}
		if err := cmd.Flags().Set(name, more[name]); err != nil {
			return err
		}
	}
	if err := cmp.Or(cmd.ValidateArgs(cmd.Flags().Args()), cmd.ValidateFlagGroups()); err != nil {
		return fmt.Errorf("muster %s: %w", cmd.Name(), err)
	}
	return nil
}
