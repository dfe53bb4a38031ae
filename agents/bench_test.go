package agents

import (
	"bytes"
	"os"
	"testing"

	"ctxledger.dev/agents/sessionfile"
)

// BenchmarkLines measures reading and decoding the recorded session without a ledger. Run it with
//
//	go test -run - -bench Lines ./agents
func BenchmarkLines(b *testing.B) {
	raw, err := os.ReadFile(shop)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		var made entries
		records := sessionfile.Records(bytes.NewReader(raw), sessionfile.Position{}, Adapters()[0].Decoder(shop))
		for rec, err := range records {
			if err != nil || rec.State != sessionfile.Whole {
				b.Fatalf("line %d is no record: %v", rec.Number, err)
			}
			made.entry(rec)
		}
	}
}
