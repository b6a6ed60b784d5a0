package flags

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// Try parses arguments as the command would, run with the flags of more in addition. The arguments
// must not contain those flags.
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
