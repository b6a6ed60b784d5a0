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
		return nil, false,
			fmt.Errorf("cannot listen on %s: %w; give another --addr, such as 127.0.0.1:0 for any free port", addr, err)
	}
	return l, l.Addr().(*net.TCPAddr).IP.IsLoopback(), nil
}

// maxStall bounds the time in which a client must send a request, and read the next part of an
// answer.
const maxStall = 10 * time.Second

// Serve answers until the context is done. A client that reads nothing for a while is dropped,
// however long the answer is.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := newServer(handler, maxStall)
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(late) // clients that are still loading can load again
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func newServer(handler http.Handler, patience time.Duration) *http.Server {
	paced := func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(&paced{w, http.NewResponseController(w), patience}, r)
	}
	return &http.Server{
		Handler: http.HandlerFunc(paced), MaxHeaderBytes: 1 << 16,
		ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: 6 * patience,
	}
}

// paced gives a client time for each part of an answer: a timeout for the whole answer would drop
// slow clients that do read.
type paced struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

func (p *paced) Write(b []byte) (int, error) {
	if err := p.control.SetWriteDeadline(time.Now().Add(p.patience)); err != nil &&
		!errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}
