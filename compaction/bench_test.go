package compaction

import (
	"fmt"
	"testing"

	"ctxledger.dev/transcript"
)

// longSession is the recorded session so many times in a row.
func longSession(b *testing.B, times int) Input {
	b.Helper()
	one := readShop(b)
	long := one
	long.Items, long.Operations = nil, nil
	for n := range times {
		by := int64(n) * one.Position
		turns := n * one.Items[len(one.Items)-1].Turn
		for _, it := range one.Items {
			seqs := make([]int64, len(it.Seqs))
			for i, seq := range it.Seqs {
				seqs[i] = seq + by
			}
			it.Seqs, it.Turn = seqs, it.Turn+turns
			it.ID = fmt.Sprintf("%06d%s", n, it.ID[min(6, len(it.ID)):])
			long.Items = append(long.Items, it)
		}
		for _, op := range one.Operations {
			op.Seq, op.Turn = op.Seq+by, op.Turn+turns
			long.Operations = append(long.Operations, op)
		}
	}
	long.Position = int64(times) * one.Position
	long.Message = func(seq int64) (transcript.Message, error) { return one.Message((seq-1)%one.Position + 1) }
	return long
}

// A session of about 20 MB.
func BenchmarkPlanOfALongSession(b *testing.B) {
	in := longSession(b, 14)
	b.ResetTimer()
	for range b.N {
		if p, err := Plan(in, Options{Budget: 2_000}); err != nil || p.Outcome != Compacted {
			b.Fatal(p.Outcome, err)
		}
	}
}
