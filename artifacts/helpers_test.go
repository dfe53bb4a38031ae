package artifacts_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
)

// noon is the time of everything in these tests, unless they say otherwise.
var noon = time.Date(2026, 5, 27, 12, 0, 0, 0, time.UTC)

// put stores an artifact and returns it.
func put(t testing.TB, s kv.Store, a artifacts.Artifact) (artifacts.Artifact, bool) {
	t.Helper()
	var got artifacts.Artifact
	var created bool
	storetest.Update(t, s, func(tx kv.Tx) (err error) {
		got, created, err = artifacts.Put(tx, a)
		return err
	})
	return got, created
}

// of describes a text as an artifact.
func of(text string) artifacts.Artifact {
	sum := sha256.Sum256([]byte(text))
	return artifacts.Artifact{
		Hash: hex.EncodeToString(sum[:]), Tool: "read_file", Hint: "path=src/a.go", Bytes: int64(len(text)),
		Chars: int64(len([]rune(text))), Lines: artifacts.Text([]byte(text)).Lines(), Created: noon,
	}
}

// wantFault fails unless err has the code and holds every text.
func wantFault(t testing.TB, err error, code fault.Code, texts ...string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("got %v (%s), want code %s", err, fault.CodeOf(err), code)
	}
	for _, s := range texts {
		if !strings.Contains(err.Error()+fault.HintOf(err), s) {
			t.Errorf("error %q lacks %q", err, s)
		}
	}
}

// numbered returns the lines "line 1" to "line n".
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}
