package claudecode

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// BenchmarkLines measures reading and decoding the recorded session without a ledger. Run it with
//
//	go test -run - -bench Lines ./agents/claudecode
func BenchmarkLines(b *testing.B) {
	raw, err := os.ReadFile(shop)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		var d Decoder
		r := NewReader(bytes.NewReader(raw), 0, 0)
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if _, ok := d.Entry(rec.Text); !ok {
				b.Fatalf("line %d is no record", rec.Line)
			}
		}
	}
}
