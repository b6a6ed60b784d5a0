package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Listen listens on an address, and reports whether only this machine can reach it.
func Listen(addr string) (l net.Listener, local bool, err error) {
	l, err = net.Listen("tcp", addr)
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // the message has the rest
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot listen on %s: %w; give another --addr, such as 127.0.0.1:0 for any free port", addr, err)
	}
	return l, l.Addr().(*net.TCPAddr).IP.IsLoopback(), nil
}

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
