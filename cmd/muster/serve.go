package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/web"
)

// serving is the serve verb.
type serving struct {
	app  *app
	addr string
	page string
}

func (a *app) serveCommand() *cobra.Command {
	s := &serving{app: a}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the playground: muster in the browser, and the lessons",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	cmd.Flags().StringVar(&s.addr, "addr", "127.0.0.1:6878", "listen on this `ADDRESS`; port 0 for any that is free")
	cmd.Flags().StringVar(&s.page, "app", "",
		"take the files of the page from this `FOLDER` (web/app of a clone), as they are when asked for")
	return cmd
}

func (a *app) siteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "site FOLDER",
		Short: "Write the playground as static files",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			site, err := a.site(cmd.Context())
			if err != nil {
				return err
			}
			return site.Write(args[0])
		},
	}
}

// site builds the playground.
func (a *app) site(ctx context.Context) (web.Site, error) {
	engine, err := web.LoadEngine(ctx, func(doing string) { fmt.Fprintln(a.err, doing) })
	if err != nil {
		return nil, err
	}
	return web.NewSite(engine)
}

func (s *serving) run(ctx context.Context) error {
	if info, err := os.Stat(s.page); s.page != "" && (err != nil || !info.IsDir()) {
		return fmt.Errorf("--app %s: expected a folder, such as web/app of a clone", s.page)
	}
	listener, local, err := web.Listen(s.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	site, err := s.app.site(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.app.out, "http://%s/\n", listener.Addr())
	if !local {
		fmt.Fprintln(s.app.err, "every host that can reach this address can open the playground")
	}
	return web.Serve(ctx, listener, site.Handler(local, s.page))
}
