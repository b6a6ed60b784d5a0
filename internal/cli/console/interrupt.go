package console

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/muster-gpu/muster/enumerate"
)

// Interruptible returns a context that the first interrupt cancels. Running work then reports what
// it knows, as at any limit. A second interrupt ends the program at once. Interrupts in quick
// succession count as one: timeout(1) signals its process and then its whole process group (GNU
// coreutils, timeout.c), and a shell may do the same.
func Interruptible() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	ignored := slices.DeleteFunc(slices.Clone(interrupts), func(s os.Signal) bool { return !signal.Ignored(s) })
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, interrupts...)
	go func() {
		<-signals
		cancel(&enumerate.LimitError{Limit: "an interrupt"})
		time.Sleep(atOnce)
		signal.Stop(signals) // from here on the operating system ends the program
		endBy(ignored)
	}()
	return ctx
}

// Ended reports whether an error says only that the context is done.
func Ended(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// interrupts are the signals with which users and other programs end this one.
var interrupts = []os.Signal{os.Interrupt, syscall.SIGTERM}

// endBy ends the program at one of the signals that the operating system ignores for it. A shell
// script that starts a program in the background makes it ignore interrupts (POSIX, Shell Command
// Language, 2.11).
func endBy(ignored []os.Signal) {
	if len(ignored) == 0 {
		return // without a list, Notify takes all signals
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, ignored...)
	<-again
	os.Exit(cutShort)
}

// cutShort is the exit status of a program that ended before its work was done.
const cutShort = 3

// atOnce is the time within which several interrupts count as one. It is too short to press a key
// twice.
const atOnce = 100 * time.Millisecond
