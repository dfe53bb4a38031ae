package main

import (
	"context"
	"fmt"

	"ctxledger.dev/tokens"
)

// measureTokens measures counting the tokens of the recorded session's lines.
func measureTokens(_ context.Context, b *bench) error {
	text := string(b.recorded)
	for _, e := range []tokens.Encoding{tokens.O200kBase, tokens.CL100kBase} {
		var took times
		n := 0
		for range 2 * b.runs {
			if err := took.clock(func() error { n = e.CountString(text); return nil }); err != nil {
				return err
			}
		}
		b.report.add(fmt.Sprintf("counting %s, %d tokens of the recorded session", e, n), rate(int64(len(text)), took.median()), "", "", fmt.Sprint(2*b.runs))
	}
	return nil
}
