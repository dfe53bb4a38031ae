package window

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkDecide decides about a view of 10,000 messages, of which a tenth are reads that are consumed.
func BenchmarkDecide(b *testing.B) {
	var lines strings.Builder
	lines.WriteString("ask 20\n")
	for i := range 5000 {
		tool := "read"
		if i%10 == 9 {
			tool = "write"
		}
		fmt.Fprintf(&lines, "%s f%d 900\n", tool, i/20)
	}
	l := script(b, lines.String())
	st := State{Window: 50_000_000, Rates: Rates{Read: 0.1, Write: 1.25}, Ahead: 20}
	b.ReportAllocs()
	for b.Loop() {
		Decide(Input{Entries: l.entries}, Default(), st)
	}
}
