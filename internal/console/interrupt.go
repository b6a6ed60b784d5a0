package console

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/muster-gpu/muster/enumerate"
)

// Interruptible is a context that the first interrupt ends. What is running then says what it
// knows, as at any limit. The second interrupt ends the program, unless it comes at once: timeout sends one to its process and
// then to all of its group (GNU coreutils, timeout.c), and a shell may do likewise.
func Interruptible() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel(&enumerate.LimitError{Limit: "an interrupt"})
		time.Sleep(atOnce)
		signal.Stop(signals)
	}()
	return ctx
}

// atOnce is within what time interrupts are one. Nobody types two in it.
const atOnce = 100 * time.Millisecond
