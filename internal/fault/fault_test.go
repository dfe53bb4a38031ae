package fault_test

import (
	"fmt"
	"testing"

	"ctxledger.dev/internal/fault"
)

// A store's own codes are kinds of unavailable for those who do not know them, and nothing else.
func TestKindsOfUnavailable(t *testing.T) {
	for _, code := range []fault.Code{fault.Full, fault.Moved, fault.Locked} {
		err := fmt.Errorf("appending: %w", fault.New(code, "kv.update", "nothing was stored"))
		if fault.CodeOf(err) != code || !fault.Is(err, code) || !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: code %s", code, fault.CodeOf(err))
		}
		if fault.Is(err, fault.Denied) || fault.Is(fault.New(fault.Unavailable, "kv.update", "away"), code) {
			t.Errorf("%s is taken for another code", code)
		}
	}
	if fault.Is(nil, fault.Unavailable) || fault.Is(nil, "") {
		t.Error("no error has a kind")
	}
}
