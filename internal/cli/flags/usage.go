package flags

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/muster-gpu/muster/src"
)

// PointToHelp makes errors about flags and numbers of arguments show the usage of the command, and
// makes an unknown command an error. Annotations of a command explain flags that only other
// commands have.
func PointToHelp(root *cobra.Command) {
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && c.Annotations[unknown.GetSpecifiedName()] != "" {
			err = fmt.Errorf("%w: %s", err, c.Annotations[unknown.GetSpecifiedName()])
		}
		return fmt.Errorf("%w\nsee %s --help", err, c.CommandPath())
	})
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	pointToUsage(root.Commands())
}

func pointToUsage(commands []*cobra.Command) {
	for _, c := range commands {
		switch {
		case c.Name() == "help":
			c.RunE = func(c *cobra.Command, args []string) error { return help(c.Root(), args) }
		case c.HasSubCommands() && !c.Runnable():
			c.Args, c.RunE, c.DisableFlagsInUseLine = nil, help, true
		}
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

// help prints the help of a command or of a subcommand. cobra does not report words that name no
// command.
func help(c *cobra.Command, words []string) error {
	for _, word := range words {
		var names []string
		var next *cobra.Command
		for _, sub := range c.Commands() {
			if names = append(names, sub.Name()); sub.Name() == word || sub.HasAlias(word) {
				next = sub
			}
		}
		if next == nil {
			err := fmt.Errorf("unknown command %q for %q", word, c.CommandPath())
			if hint := src.DidYouMean(word, names); hint != "" {
				err = fmt.Errorf("%w; %s", err, hint)
			}
			return fmt.Errorf("%w\nsee %s --help", err, c.CommandPath())
		}
		c = next
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	return c.Help()
}
