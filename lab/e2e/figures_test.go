package e2e

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/lab/shown"
	"ctxledger.dev/ledger"
	"ctxledger.dev/records"
	"ctxledger.dev/tokens"
)

// became matches what a compaction replaced and became, in the words of every face.
var became = regexp.MustCompile(`(≈[0-9,]+) → (≈[0-9,]+) tokens`)

// TestEveryFaceShowsTheRecordedFigures: the figures of a compaction are those of the answer that made it, on the command
// line, in the tools and in the editor, also after the tokenizer of the model was measured, and when it is undone. Each
// face counted by itself, with what was known when it was asked.
func TestEveryFaceShowsTheRecordedFigures(t *testing.T) {
	s := newBox(t)
	file := s.Workspace + "/session.jsonl"
	write(t, file, string(shown.Priced(read(t, recording))))
	session := string(bytes.TrimSpace(run(t, s, "import", file)))
	session = session[strings.LastIndex(session, "\n")+1:]
	c := connect(t, s, s.Workspace, "agent")
	request := map[string]any{"session": session, "budget_tokens": 2000, "request_id": "once"}
	answer, err := c.Call(deadlined(t), "compact_conversation", request, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := became.FindString(answer)
	if want == "" {
		t.Fatalf("compact_conversation answers %.500s", answer)
	}
	api := open(t, s)
	status, err := api.Status(deadlined(t), ledger.StatusRequest{Session: session, Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	f := faces{t: t, box: s, mcp: c, api: api, session: session, summary: status.Summary}
	check := func(when string, shown map[string]string) {
		for face, text := range shown {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s does not show %q:\n%.1500s", when, face, want, text)
			}
		}
	}
	check("made", f.shown())
	check("made", f.inForce())
	teach(t, api, status.Model)
	check("after measurements", f.shown())
	check("after measurements", f.inForce())
	again, err := c.Call(deadlined(t), "compact_conversation", request, nil)
	if err != nil || again != answer {
		t.Errorf("sent again, it answers (%v)\n%.500s\nnot\n%.500s", err, again, answer)
	}
	run(t, s, "restore", f.summary)
	check("undone", f.shown())
}

// teach has a ledger learn that a model's tokenizer makes three times the tokens of o200k_base.
func teach(t *testing.T, api ledger.API, model string) {
	t.Helper()
	e := tokens.NewEstimator(model)
	for i := range 60 {
		n := 500 + 37*i
		e.Learn(tokens.Features{n, n / 2, 2 * n, n / 2, n / 9, 3, n / 2, n / 5, 1}, int64(3*n))
	}
	state, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	// Without its event every command would wait for a first measurement.
	known, err := api.Estimators(deadlined(t), ledger.EstimatorsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	learned := ledger.Estimators{States: map[string][]byte{model: state}, Event: known.Event}
	if _, err := api.KeepEstimators(deadlined(t), ledger.KeepEstimatorsRequest{Estimators: learned}); err != nil {
		t.Fatal(err)
	}
}

// faces are the ways to look at a compaction.
type faces struct {
	t                *testing.T
	box              *sandbox.Sandbox
	mcp              *sandbox.Client
	api              ledger.API
	session, summary string
}

// shown returns what each face shows of the compaction, in effect or not.
func (f faces) shown() map[string]string {
	f.t.Helper()
	out := map[string]string{
		"diff":   string(run(f.t, f.box, "diff", f.summary)),
		"events": string(run(f.t, f.box, "events")),
	}
	columns := regexp.MustCompile(f.summary + `.* (≈[0-9,]+) +(≈[0-9,]+)  `)
	out["sessions"] = columns.ReplaceAllString(string(run(f.t, f.box, "sessions", f.session)), "$1 → $2 tokens")
	counts := regexp.MustCompile(`(?s)"id": "` + f.summary + `".*?"before": \{\s+"n": (\d+),.*?"after": \{\s+"n": (\d+),`)
	for _, command := range [][]string{{"diff", "--json", f.summary}, {"sessions", "--json", f.session}} {
		m := counts.FindSubmatch(run(f.t, f.box, command...))
		if m == nil {
			f.t.Fatalf("%q has no counts", command)
		}
		out[strings.Join(command[:2], " ")] = estimate(f.t, m[1]) + " → " + estimate(f.t, m[2]) + " tokens"
	}
	r := records.Reader{API: f.api, Now: time.Now()}
	text, err := r.Text(deadlined(f.t), records.Address{Kind: records.KindSummary, ID: f.summary})
	if err != nil {
		f.t.Fatal(err)
	}
	out["the editor's document"] = text
	nodes, err := r.Nodes(deadlined(f.t), "sessions/"+f.session)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, n := range nodes {
		if n.Handle == f.summary {
			out["the editor's tree"] = n.Description
		}
	}
	return out
}

// inForce returns what the faces show that tell of the compaction in effect alone.
func (f faces) inForce() map[string]string {
	f.t.Helper()
	text, err := f.mcp.Call(deadlined(f.t), "context_status", map[string]any{"session": f.session}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return map[string]string{
		"context_status": text,
		"status":         string(run(f.t, f.box, "status", f.session)),
		"status --json":  string(run(f.t, f.box, "status", "--json", f.session)),
	}
}

// estimate prints a number of JSON as faces print estimates.
func estimate(t *testing.T, number []byte) string {
	t.Helper()
	n, err := strconv.Atoi(string(number))
	if err != nil {
		t.Fatal(err)
	}
	return tokens.Count{N: n}.String()
}
