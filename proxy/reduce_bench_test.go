package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// BenchmarkReduce makes a request of 1 MB ready whose conversation is known, with a hundred stubs and one new result.
func BenchmarkReduce(b *testing.B) {
	text, _ := json.Marshal(strings.Repeat("a line of a result that says little\n", 160))
	var messages []string
	v := newView(transcript.Anthropic, ledger.LiveSession{}, "")
	for i := range 170 {
		id := fmt.Sprintf("toolu_%d", i)
		messages = append(messages, fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Read",`+
			`"input":{"file_path":"/w/a.go"}}]}`, id), fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":%q,"content":%s}]}`, id, text))
		if i < 100 {
			v.shown[part{id, transcript.KindResult}] = "a stub"
		}
	}
	body := []byte(`{"model":"m","tools":[` + readBackTool + `],"messages":[` + strings.Join(messages, ",") + `]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	last := []byte("little")
	at := strings.LastIndex(string(body), string(last))
	for b.Loop() {
		body[at]++ // the newest message is another one
		if body[at] > 'z' {
			body[at] = 'a'
		}
		d, ok := draftOf(body)
		if !ok || !d.readable {
			b.Fatal("not read")
		}
		v.read(d)
		v.newest()
		v.send(d, &exchange{at: time.Time{}}, false)
	}
}

const readBackTool = `{"name":"mcp__ctxledger__read_artifact"}`
