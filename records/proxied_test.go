package records

import (
	"testing"

	"ctxledger.dev/ledger"
)

// TestWhatAProxyMeasuredIsInASession, with hostile names made literal.
func TestWhatAProxyMeasuredIsInASession(t *testing.T) {
	if got := proxied(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	broke := ledger.CacheUse{Outcome: ledger.CacheChanged, Lost: 2_000, Item: "tool <b>x</b> changed", By: "the agent"}
	got := proxied(&ledger.ProxyUse{Requests: 1, Broke: []ledger.CacheUse{broke}})
	const want = "- 1 request by the proxy: 0 tokens of input, 0 read from the cache (0 of the requests), 0 of output\n" +
		"- 2,000 tokens not read from the cache: tool \\<b\\>x\\</b\\> changed, by the agent\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
