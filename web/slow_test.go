package web

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// large is more than the buffers of a connection hold.
var large = bytes.Repeat([]byte("muster\n"), 4<<20)

// listen serves a large answer, and reports how each answer ended.
func listen(t *testing.T, patience time.Duration) (addr string, ended chan error) {
	t.Helper()
	ended = make(chan error, 1)
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.CopyN(w, bytes.NewReader(large), int64(len(large)))
		ended <- err
	}), patience)
	l, _, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String(), ended
}

// TestClientThatNeverReads: a client that never reads is dropped.
func TestClientThatNeverReads(t *testing.T) {
	addr, ended := listen(t, 200*time.Millisecond)
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the answer ended with %v", err)
	}
}

// TestClientThatReadsSlowly: a client that keeps reading gets the whole answer, even if that takes
// longer than patience.
func TestClientThatReadsSlowly(t *testing.T) {
	const patience = 2 * time.Second
	addr, ended := listen(t, patience)
	answer, err := http.Get("http://" + addr) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	read := int64(0)
	for began := time.Now(); time.Since(began) < patience+patience/2; time.Sleep(patience / 20) {
		n, err := io.CopyN(io.Discard, answer.Body, int64(len(large))/100)
		if read += n; err != nil {
			t.Fatal(err)
		}
	}
	n, err := io.Copy(io.Discard, answer.Body)
	if read += n; err != nil || read != int64(len(large)) {
		t.Errorf("%d bytes of %d, %v", read, len(large), err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
