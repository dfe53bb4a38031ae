package kv_test

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// places is a backend that opens nothing and remembers what it was to open.
type places []string

// Open implements kv.Backend.
func (p *places) Open(place string, _ kv.Options) (kv.Store, error) {
	*p = append(*p, place)
	return nil, nil
}

func TestAURLNamesABackendAndAPlace(t *testing.T) {
	var files, server places
	known := kv.Backends{"files": &files, "server": &server}
	for _, url := range []string{"files:/home/ann/state", `files:C:\state`, "server://db.example:5432/ledger"} {
		if _, err := known.Open(url, kv.Options{}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if got := strings.Join(append(files, server...), " "); got != `/home/ann/state C:\state //db.example:5432/ledger` {
		t.Errorf("opened %s", got)
	}
	for _, url := range []string{"", "/home/ann/state", "postgres:x"} {
		if _, err := known.Open(url, kv.Options{}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", url, err)
		}
	}
}
