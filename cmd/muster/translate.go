package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/language/translate"
	"github.com/muster-gpu/muster/internal/tests/corpus"
)

// translation is the translate verb.
type translation struct {
	app     *app
	target  string
	edition string
	out     string
}

func (a *app) translateCommand() *cobra.Command {
	t := &translation{app: a}
	cmd := &cobra.Command{
		Use:               "translate TEST…",
		Short:             "Translate tests in C to PTX",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE:              func(_ *cobra.Command, args []string) error { return t.run(args) },
	}
	f := cmd.Flags()
	editions := translate.Editions()
	f.StringVar(&t.target, "to", translate.PTX, "the `LANGUAGE` of the translations: ptx")
	f.StringVar(&t.edition, "abi", editions[0], "the `EDITION` of NVIDIA's mapping: "+strings.Join(editions, ", "))
	f.StringVarP(&t.out, "out", "o", "-",
		"write the tests into this `FOLDER`, a tar file (NAME.tar), or to standard output: as text (-) or as tar (tar)")
	completeWords(cmd, "to", []string{translate.PTX})
	completeWords(cmd, "abi", editions)
	return cmd
}

func (t *translation) run(args []string) error {
	if err := translate.Check(t.target, t.edition); err != nil {
		return err
	}
	sink, err := corpus.SinkFor(t.out, t.app.out, corpus.ManyFiles)
	if err != nil {
		return err
	}
	for in := range t.app.finder().Tests(args...) {
		made := &translate.Translation{}
		test, err := in.Parse()
		if err == nil {
			made, err = translate.To(test, t.target, t.edition)
		}
		if err != nil {
			t.app.fail(err)
			continue
		}
		if err := sink.Write(test.Name.Text, made.Text); err != nil {
			return errors.Join(err, sink.Close())
		}
	}
	return sink.Close()
}
