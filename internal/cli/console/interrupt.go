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

// Interruptible is a context that the first interrupt ends. What is running then says what it
// knows, as at any limit. The second interrupt ends the program, whatever it does, unless it comes at once: timeout sends one to its
// process and then to all of its group (GNU coreutils, timeout.c), and a shell may do likewise.
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

// Ended reports whether an error says that the context is done, and nothing else.
func Ended(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// interrupts are the signals by which people and other programs end this one.
var interrupts = []os.Signal{os.Interrupt, syscall.SIGTERM}

// endBy ends the program when one of some signals comes that the operating system ignores, as it does where a shell script has
// started the program in the background (POSIX, Shell Command Language, 2.11).
func endBy(ignored []os.Signal) {
	if len(ignored) == 0 {
		return // without a list, Notify takes all signals
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, ignored...)
	<-again
	os.Exit(cutShort)
}

// cutShort is the exit status of a program that was ended before its work was.
const cutShort = 3

// atOnce is within what time interrupts are one. Nobody types two in it.
const atOnce = 100 * time.Millisecond
