package lsp

import (
	"strings"
	"testing"
)

// TestWithoutAFolderThereIsNoLedger asks a server that was started nowhere.
func TestWithoutAFolderThereIsNoLedger(t *testing.T) {
	f := newFixture(t, nil)
	f.initialize(t)
	err := f.Call(f.ctx, "ctxledger/context", map[string]any{"session": ""}, nil)
	if err == nil || !strings.Contains(err.Error(), "no open folder has a ledger; open the folder") {
		t.Errorf("%v", err)
	}
}
