package batch

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/sim"
)

// ParseBytes reads an amount of memory: 512MiB, 2GiB, 1.5g. KB and KiB mean the same.
func ParseBytes(text string) (sim.Bytes, error) {
	const units = "kmgt"
	number := strings.TrimRight(strings.ToLower(text), "ib")
	scale := 1.0
	if unit := strings.IndexByte(units, lastOf(number)); unit >= 0 {
		number, scale = number[:len(number)-1], math.Pow(1024, float64(unit+1))
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || n < 0 || n*scale > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is not an amount of memory: 512MiB and 2GiB are, and 0 for no limit", text)
	}
	return sim.Bytes(n * scale), nil
}

// lastOf returns the last byte of a text, or 0.
func lastOf(text string) byte {
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}

// assumedMemory is the memory of a machine that does not report it.
const assumedMemory sim.Bytes = 8 << 30

// DefaultMemory returns the share of the machine's memory, or of its control group's, that
// simulations may take.
func DefaultMemory() sim.Bytes {
	most := assumedMemory
	if total, ok := meminfoTotal("/proc/meminfo"); ok {
		most = total
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if n, ok := number(file); ok {
			most = min(most, n)
		}
	}
	return most / 2
}

// meminfoTotal reads the line "MemTotal: 24601760 kB" of Linux (proc(5)).
func meminfoTotal(file string) (sim.Bytes, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kB); n == 1 {
			return sim.Bytes(kB) << 10, true
		}
	}
	return 0, false
}

// number reads a file that holds a number of bytes. It returns false for the file of a control
// group without a limit.
func number(file string) (sim.Bytes, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return sim.Bytes(n), err == nil && n > 0
}
