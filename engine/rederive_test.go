package engine_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// goldenSecrets are the secret parts in the session of the ledger of schema 2, which is next to it as session.jsonl:
// there they have the labels that make them secrets.
var goldenSecrets = []struct{ where, secret string }{
	{"bearer token in a title", "gNSWPH8prVqsUeQCtDR3zzX6hqo35uwZqxZO"},
	{"bearer token in arguments", "OHjkJQQrkaPehMvbfrn2yzL7C5Mg3PR4hLLO"},
	{"bearer token in a failed result", "Oxl3gV3FGRmrCNnFZsGqgh0frrhbkVAhRHLf"},
	{"netrc entry in a result", "BERkIyDtFDBAM0gqEzpC"},
	{"netrc entry in arguments", "3N8FeKjFTrKCb0Tz8Bbw"},
	{"api_secret in a write", "TKx8EqwtHmcOJEZqgygcmtbaLGsH"},
	{"api_secret in an edit", "7Zwqhc9jXmaoq3GqlpnMR6vsUW5x"},
	{"Password= in the old words of an edit", "cJ6MV8YWkGP1mxFyp9yIJX"},
	{"Password= in the new words of an edit", "6uF68NcpP7BEXvfqZgimdS"},
	{"Password= in arguments", "7jnqFCiI5ydYgqTxIBAiCo"},
	{"Password= in a failed result", "fjZUljbQ6oP3Q0w7MQ0JTc"},
	{"private key in arguments, first line", "KADr9Eu7e3xdRP7PI0g63eB1h3d1P7keaYRtciy4Lja4CDY3FTHbsfrpsRLPGaJY"},
	{"private key in arguments, last line", "8FCXpVdF4jDnTUPq977mGL6Pt7hFOzbEIuBusIu1IeZPavepk9mCqCF7TyWyazKp"},
	{"private key numbered by cat -n, first line", "2TesfGMKnXQVHE88Z848ATZDvxy3KETVqyrxlbiUshF0U71P8FQdoE7bdiAP7W2l"},
	{"private key numbered by cat -n, last line", "cE3ui9bKZSACKhkgFokVMmuEWvki5xqFq6GXoB2sWpqwHHQGecmCz2KseMbTJbQ0"},
	{"token in the name of a tool", "6QZDFPE28UomexA5H7QaiuTzsL8sZBX3cady"},
	{"token in a description", "cdCpcJjdKrDjqhjQrJguYp7s06ekMA2XzIXD"},
	{"token in a long result", "asH4VKBQgKJZ4seUbkYNvTUMdCg0VA0eIjLj"},
	{"token at the end of a long result", "5XAeL91KQec85QoxJpo7iOe54poTnKlvsL8E"},
	{"api_secret in a decision", "nKlddTygz0684rUDhZzFCub6wWpH"},
}

// TestOpeningALedgerOfSchema2TakesSecretsOutOfWhatWasDerived opens a ledger that the last program of schema 2 wrote.
func TestOpeningALedgerOfSchema2TakesSecretsOutOfWhatWasDerived(t *testing.T) {
	volume(t)
	dir := golden(t, "2")
	if found := derivedSecrets(t, dir); len(found) < len(goldenSecrets)-2 {
		t.Fatalf("the golden ledger holds only %q in derived records", slices.Sorted(maps.Keys(found)))
	}
	l, _ := openIn(t, dir, "/home/dev/shop")
	if d := cmp.Diff(string(readFile(t, "testdata/schema-2.answers")), answers(t, l)); d != "" {
		t.Errorf("originals, views or artifacts: -as they were +as they are:\n%s", d)
	}
	exits(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for where, place := range derivedSecrets(t, dir) {
		t.Errorf("%s is still there: %s", where, place)
	}
	sound(t, dir)
	after, schema := records(t, dir, allBuckets(t, dir)...)
	if schema != "5" {
		t.Errorf("schema %q", schema)
	}
	l, _ = openIn(t, dir, "/home/dev/shop")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if again, _ := records(t, dir, allBuckets(t, dir)...); !maps.Equal(after, again) {
		t.Errorf("opening it again changed it:\n%s", cmp.Diff(after, again))
	}
}

// exits reads what the ledger says to others than the agent, and looks for secrets.
func exits(t *testing.T, l *engine.Local) {
	t.Helper()
	all, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil || len(all.Sessions) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	id := all.Sessions[0].ID
	intents, err := l.Intents(t.Context(), ledger.IntentsRequest{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	changes, err := l.Changes(t.Context(), ledger.ChangesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	artifacts, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := l.PlanCompaction(t.Context(),
		ledger.PlanCompactionRequest{Session: id, Options: compaction.Options{Whole: true}})
	if err != nil {
		t.Fatal(err)
	}
	for exit, v := range map[string]any{
		"sessions": all, "intents": intents, "changes": changes, "artifacts": artifacts,
		"events": events(t, l, ledger.WaitEventsRequest{}), "a plan": plan,
	} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for where, place := range secretsIn(raw) {
			t.Errorf("%s: %s leaves: %s", exit, where, place)
		}
	}
}

// derivedSecrets returns the planted secrets of which a piece is in a derived record of a closed ledger, with the
// first place. Originals and what the agent's view is made of (stubs, the words of a summary) are exact on purpose.
func derivedSecrets(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, _ := records(t, dir, allBuckets(t, dir)...)
	found := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		value := all[key]
		switch {
		case strings.HasPrefix(key, "stubs/"):
			continue
		case strings.HasPrefix(key, "log/"):
			value = derivedEntry(t, value)
		}
		for where, place := range secretsIn([]byte(key + " " + value)) {
			if found[where] == "" {
				found[where] = key + ": " + place
			}
		}
	}
	return found
}

// derivedEntry returns what was derived in a record of the log: its header, in which a summary has its exact words.
func derivedEntry(t *testing.T, record string) string {
	t.Helper()
	header := record[4 : 4+binary.BigEndian.Uint32([]byte(record))]
	var e struct{ Data compaction.Record }
	if err := json.Unmarshal([]byte(header), &e); err != nil || e.Data.Text == "" {
		return header
	}
	words, err := json.Marshal(e.Data.Text)
	if err != nil || !strings.Contains(header, string(words)) {
		t.Fatalf("a summary has no text: %v", err)
	}
	return strings.Replace(header, string(words), `""`, 1)
}

// secretsIn returns the planted secrets of which a text has 12 bytes, with the surroundings of the first piece.
func secretsIn(text []byte) map[string]string {
	found := map[string]string{}
	for _, p := range goldenSecrets {
		for i := 0; i+12 <= len(p.secret); i++ {
			if at := bytes.Index(text, []byte(p.secret[i:i+12])); at >= 0 {
				found[p.where] = string(text[max(0, at-60):min(len(text), at+30)])
				break
			}
		}
	}
	return found
}

// allBuckets returns the names of all buckets in the file of a closed ledger.
func allBuckets(t *testing.T, dir string) (all []kv.Bucket) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "ledger.db"), 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() // opened for reading
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
			if name[0] != 0 { // those of the store itself
				all = append(all, kv.Bucket(name))
			}
			return nil
		})
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("%q, %v", all, err)
	}
	return all
}

func TestPlantedSecretsAreInTheSessionOfTheGoldenLedger(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(golden(t, "2"), "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range goldenSecrets {
		if !bytes.Contains(raw, []byte(p.secret)) {
			t.Errorf("no %s", p.where)
		}
	}
}
