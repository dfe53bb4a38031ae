package ctxlsp

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
)

// The extent of the generated part.
var (
	messageCount = flag.Int("messages", 1000, "how many malformed `messages` are generated")
	seed         = flag.Uint64("seed", 1, "the `seed` of what is generated")
)

// seeds are the messages that the generator makes malformed ones from; %s is the id. None ends the server.
var seeds = []string{
	`{"jsonrpc":"2.0","id":%s,"method":"textDocument/hover","params":{"textDocument":{"uri":"untitled:bad"},` +
		`"position":{"line":3,"character":2}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"untitled:bad"}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"textDocument/documentSymbol","params":{"textDocument":{"uri":"untitled:bad"}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"textDocument/inlayHint","params":{"textDocument":{"uri":"untitled:bad"},` +
		`"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"untitled:bad"},` +
		`"range":{"start":{"line":0,"character":0},"end":{"line":2,"character":0}},"context":{"diagnostics":[],` +
		`"only":["source"]}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"workspace/executeCommand",` +
		`"params":{"command":"ctxledger.server.countSelection","arguments":[{"uri":"untitled:bad",` +
		`"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}}}]}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:bad",` +
		`"languageId":"markdown","version":1,"text":"# A\n😀\n## B\r\nx"},"x":%s}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"untitled:bad","version":2},` +
		`"contentChanges":[{"range":{"start":{"line":1,"character":1},"end":{"line":2,"character":0}},` +
		`"text":"\ud83d"}],"x":%s}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"untitled:bad"},"x":%s}}`,
	`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%s}}`,
	`{"jsonrpc":"2.0","id":%s,"result":null}`,
}

// TestGeneratedGarbageHurtsNobody sends malformed messages between good calls, each of which is answered.
func TestGeneratedGarbageHurtsNobody(t *testing.T) {
	s := serve(t, newPlace(t).Forever(binary, "--stdio"))
	s.ctx = t.Context() // a million messages take as long as they take
	s.initialize(t)
	must(t, s.Open("untitled:good", "markdown", guide))
	dice := rand.New(rand.NewPCG(*seed, 0))
	var took []time.Duration
	for i := range *messageCount {
		id := fmt.Sprintf(`"m%d"`, i)
		must(t, s.Raw([]byte(framed(programtest.Mutate(dice, fmt.Sprintf(seeds[dice.IntN(len(seeds))], id))))))
		if i%10 > 0 {
			continue
		}
		began := time.Now()
		if got := s.cost(t, "untitled:good"); got != count(guide) {
			t.Fatalf("seed %d, message %d: the lens says %q", *seed, i, got)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("%d messages, seed %d; good calls: p50 %v, p99 %v", *messageCount, *seed, took[len(took)/2],
		took[len(took)*99/100])
	s.leave(t)
	if said := s.stderr.String(); strings.Contains(said, "incident") || strings.Contains(said, "panic") {
		t.Errorf("standard error: %.2000s", said[strings.Index(said, "internal error")+1:])
	}
}
