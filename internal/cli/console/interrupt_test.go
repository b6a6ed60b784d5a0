package console

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// deaf is set in the environment of a process that ignores the context's cancellation.
const deaf = "MUSTER_TEST_DEAF"

func TestMain(m *testing.M) {
	if how := os.Getenv(deaf); how != "" {
		if how == "ignored" {
			signal.Ignore(os.Interrupt)
		}
		ctx := Interruptible()
		fmt.Println("ready")
		go func() {
			<-ctx.Done()
			fmt.Println("interrupted")
		}()
		for n := 0; ; n++ { //nolint:staticcheck // it is to be deaf
			_ = make([]byte, n%4096)
		}
	}
	os.Exit(m.Run())
}

// TestSecondInterrupt: a second interrupt ends a program that ignores the first, for every pair of
// signals, even if a shell made it ignore the first signal.
func TestSecondInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted there")
	}
	for _, how := range []string{"heard", "ignored"} {
		for _, first := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			for _, second := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
				end(t, how, first, second)
			}
		}
	}
}

// end starts a deaf program and sends it signals until it ends.
func end(t *testing.T, how string, first, second os.Signal) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), deaf+"="+how)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	lines := bufio.NewScanner(out)
	lines.Scan() // it is ready
	if err := cmd.Process.Signal(first); err != nil {
		t.Fatal(err)
	}
	lines.Scan() // it is interrupted
	if lines.Text() != "interrupted" {
		t.Errorf("%s: %v ended it, or did nothing: %q", how, first, lines.Text())
	}
	go func() { ended <- cmd.Wait() }()
	for range 100 { // a signal that comes at once counts as the first
		time.Sleep(2 * atOnce)
		_ = cmd.Process.Signal(second)
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("%s: %v, then %v: exit status 0", how, first, second)
			}
			return
		case <-time.After(2 * atOnce):
		}
	}
	_ = cmd.Process.Kill()
	t.Errorf("%s: %v, then %v: it goes on", how, first, second)
}
