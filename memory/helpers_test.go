package memory_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/memory"
)

// noon is the time of everything in these tests, unless they say otherwise.
var noon = time.Date(2026, 5, 27, 12, 0, 0, 0, time.UTC)

// save stores an entry and returns it.
func save(t testing.TB, s kv.Store, e memory.Entry, overwrite bool) (got memory.Entry, err error) {
	t.Helper()
	err = s.Update(context.Background(), func(tx kv.Tx) (err error) {
		got, err = memory.Save(tx, e, guid, overwrite)
		return err
	})
	return got, err
}

// saveAll stores entries, which must be valid.
func saveAll(t testing.TB, s kv.Store, entries ...memory.Entry) {
	t.Helper()
	err := s.Update(context.Background(), func(tx kv.Tx) error {
		for _, e := range entries {
			if _, err := memory.Save(tx, e, guid, true); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// entry returns a valid entry whose guid follows from its name.
func entry(name, description, body string) memory.Entry {
	sum := sha256.Sum256([]byte(name))
	return memory.Entry{
		GUID: hex.EncodeToString(sum[:16]), Name: name, Description: description, Body: body, Type: "project",
		Scope: memory.Project, Source: "agent:a", Created: noon, Updated: noon,
	}
}

// names returns the names of entries.
func names(entries []memory.Entry) string {
	var n []string
	for _, e := range entries {
		n = append(n, e.Name)
	}
	return strings.Join(n, ",")
}

// wantFault fails unless err has the code and holds every text.
func wantFault(t testing.TB, err error, code fault.Code, texts ...string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("got %v (%s), want code %s", err, fault.CodeOf(err), code)
	}
	for _, s := range texts {
		if !strings.Contains(err.Error()+fault.HintOf(err), s) {
			t.Errorf("error %q (%s) lacks %q", err, fault.HintOf(err), s)
		}
	}
}
