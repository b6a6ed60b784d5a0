package flags

import (
	"fmt"

	"github.com/spf13/cobra"
)

// PointToHelp has what is wrong with flags, or with how many arguments there are, say what a command takes.
func PointToHelp(root *cobra.Command) {
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w\nsee %s --help", err, c.CommandPath())
	})
	pointToUsage(root.Commands())
}

func pointToUsage(commands []*cobra.Command) {
	for _, c := range commands {
		if check := c.Args; check != nil {
			c.Args = func(c *cobra.Command, args []string) error {
				if err := check(c, args); err != nil {
					return fmt.Errorf("%w\nusage: %s\nsee %s --help", err, c.UseLine(), c.CommandPath())
				}
				return nil
			}
		}
		pointToUsage(c.Commands())
	}
}
