package main

import (
	"context"
	"fmt"

	"ctxledger.dev/tokens"
)

// measureTokens measures counting the tokens of the recorded session's lines, beside the first count
// in an encoding, which reads its vocabulary and finds every cache empty.
func measureTokens(_ context.Context, b *bench) error {
	text := string(b.recorded)
	for _, e := range tokens.Encodings() {
		var first, took times
		n := 0
		count := func() error { n = e.CountString(text); return nil }
		if err := first.clock(count); err != nil {
			return err
		}
		for range 2 * b.runs {
			if err := took.clock(count); err != nil {
				return err
			}
		}
		size := int64(len(text))
		b.report.add(fmt.Sprintf("counting %s, %d tokens of the recorded session", e, n), rate(size, took.median()),
			"the first count: "+rate(size, first.median()), "", fmt.Sprintf("%d, the first 1", 2*b.runs))
	}
	return nil
}
