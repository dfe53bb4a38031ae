// Command proxyreplay sends recorded sessions through the proxy.
package main

import (
	"context"
	"fmt"
	"os"

	"ctxledger.dev/internal/process"
)

func main() {
	process.KeepOwnAccess()
	for _, f := range os.Args[1:] {
		r, err := open(f)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		m := &messagesOf{r, map[int]message{}}
		s := m.sizes()
		rec, cost := r.recordedUse()
		fmt.Println(f, len(r.requests), "factor", s.factor, "prompt", s.prompt, "odd", s.odd, "recorded", rec, cost)
		for _, p := range policies() {
			out, err := m.play(context.Background(), p, s)
			fmt.Printf("%+v %v reads %+.2f%% writes %+.2f%% cost %+.2f%%\n", out, err, 100*(float64(out.Used.CacheRead)/float64(rec.CacheRead)-1), 100*(float64(out.Used.Written())/float64(rec.Written())-1), 100*(out.Dollars/cost-1))
		}
	}
}
