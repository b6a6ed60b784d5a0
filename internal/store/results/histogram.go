package results

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
)

// Histogram is final states with their counts. In a line it has the format of hardware's
// (observe.Bar), with the registers and locations of a state in their order.
type Histogram []litmus.Outcome

// MarshalJSON writes what UnmarshalJSON reads.
func (h Histogram) MarshalJSON() ([]byte, error) { return appendHistogram(nil, h), nil }

func appendHistogram(b []byte, h Histogram) []byte {
	b = append(b, '[')
	for i, o := range h {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"state":{`...)
		for j, v := range o.Values {
			if j > 0 {
				b = append(b, ',')
			}
			b = appendString(b, v.Name)
			b = append(b, ':')
			b = appendString(b, v.Value.String())
		}
		b = append(b, `},"count":`...)
		b = strconv.AppendInt(b, o.Count, 10)
		b = append(b, '}')
	}
	return append(b, ']')
}

// UnmarshalJSON reads a histogram.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var bars []observe.Bar
	if err := json.Unmarshal(text, &bars); err != nil {
		return err
	}
	*h = make(Histogram, len(bars))
	for i, b := range bars {
		o, err := litmus.NewOutcome(b.State)
		if err != nil {
			return fmt.Errorf("histogram: %w", err)
		}
		o.Count = b.Count
		(*h)[i] = o
	}
	return nil
}
