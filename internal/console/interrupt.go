package console

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/muster-gpu/muster/enumerate"
)

// Interruptible is a context that the first interrupt ends. What is running then says what it
// knows, as at any limit. The second interrupt ends the program.
func Interruptible() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals)
		cancel(&enumerate.LimitError{Limit: "an interrupt"})
	}()
	return ctx
}
