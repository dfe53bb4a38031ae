package pages

import (
	"bytes"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// TestWhatAProxyMeasuredIsSaid, with hostile names made harmless.
func TestWhatAProxyMeasuredIsSaid(t *testing.T) {
	dollars, saved, lost := 1.5, 0.5, -0.25
	for _, c := range []struct {
		use  *ledger.ProxyUse
		want string
	}{
		{nil, ""},
		{&ledger.ProxyUse{Sessions: 1, Requests: 2, Hits: 1, FirstMS: 1200,
			Usage: sessions.Usage{Input: 10, CacheRead: 990, Output: 5}},
			"measured   2 requests by the proxy: 1,000 tokens of input, 990 read from the cache (1 of the requests), " +
				"5 of output\n" +
				"           first byte after 1,200 ms (median)\n"},
		{&ledger.ProxyUse{Sessions: 1, Requests: 2, Reduced: &ledger.ReducedUse{Requests: 2, Tokens: 30_000, Steps: 1,
			Rewritten: 900, Net: &saved}},
			"measured   2 requests by the proxy: 0 tokens of input, 0 read from the cache (0 of the requests), 0 of output\n" +
				"           first byte after 0 ms (median)\n" +
				"reduced    1 step rewrote 900 tokens of the cache; ≈30,000 tokens left out of 2 requests: ≈$0.50 saved, " +
				"if all of them had been read from the cache; the window usage that the agent shows is based on what was sent\n"},
		{&ledger.ProxyUse{Sessions: 1, Requests: 1, Reduced: &ledger.ReducedUse{Requests: 1, Net: &lost}},
			"measured   1 request by the proxy: 0 tokens of input, 0 read from the cache (0 of the requests), 0 of output\n" +
				"           first byte after 0 ms (median)\n" +
				"reduced    0 steps rewrote 0 tokens of the cache; 0 tokens left out of 1 request: ≈$0.25 lost so far; " +
				"the window usage that the agent shows is based on what was sent\n"},
		{&ledger.ProxyUse{Sessions: 3, Requests: 1000, Failed: 2, Cost: sessions.Cost{Dollars: &dollars}, Breaks: 3,
			Lost: 9_000, Broke: []ledger.CacheUse{
				{Outcome: ledger.CacheChanged, Lost: 5_000, Item: "tool \x1b[2Jx changed", By: "MCP server y"},
				{Outcome: ledger.CacheExpired, Lost: 2_000, After: 400}},
			Tools:  []ledger.ServerTools{{Tools: 20, Tokens: 14_000}, {Server: "db", Tools: 1, Tokens: 40}},
			Missed: 4, MissedWhy: "a body of 40 bytes"},
			"measured   1,000 requests by the proxy in 3 sessions, 2 of them failed: 0 tokens of input, 0 read from the cache " +
				"(0 of the requests), 0 of output; $1.50 at list prices\n" +
				"           first byte after 0 ms (median)\n" +
				"cache      5,000 tokens not read from the cache: tool \\u001b[2Jx changed, by MCP server y\n" +
				"           2,000 tokens not read from the cache: the provider no longer had them, 400 seconds after the " +
				"previous request\n" +
				"           and 1 earlier break, 9,000 tokens in all\n" +
				"tools      in each request, tokens by server: the agent's own 14,000 (20), db 40 (1)\n" +
				"missed     4 requests not recorded: a body of 40 bytes\n"},
	} {
		var out bytes.Buffer
		Page{W: &out}.Proxy(c.use)
		if out.String() != c.want {
			t.Errorf("got\n%s, want\n%s", &out, c.want)
		}
	}
}
