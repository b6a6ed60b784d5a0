package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve answers until the context is done.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	const patience = 10 * time.Second
	server := &http.Server{
		Handler: handler, MaxHeaderBytes: 1 << 16,
		ReadTimeout: patience, WriteTimeout: 6 * patience, IdleTimeout: 6 * patience,
	}
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(late) // who is still loading then loads again
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
