package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// ccusageVariable names the environment variable with the program of npm @ccusage/ccusage-linux-x64, in the version of
// docs/audit.md. Without it these comparisons are left out.
const ccusageVariable = "CTXLEDGER_CCUSAGE"

// ccusageDiffers says of cases why ccusage has other tokens or another sum of cents. All others have to agree.
var ccusageDiffers = map[string]string{
	"as recorded/shop.jsonl":      "without requestId each line of an answer counts, and parts of 0 hide cache writes",
	"as recorded/compacted.jsonl": "without requestId each line of an answer counts, and parts of 0 hide cache writes",
	"advisor":                     "what two calls read together is more than 200,000 tokens, and neither is long",
	"fork_request_ids":            "copies of answers without an id that only they have count again",
	"late_terms":                  "of two parts of an answer one counts, without what the other one knows",
	"one_id":                      "copies of answers without an id that only they have count again",
	"spelled_counts":              "counts have one spelling",
	"spliced":                     "of a damaged line no record is read",
	"subagent_file":               "the beginning of an answer, in the other file, hides its end",
	"terms":                       "no batches, no regions, and above 200,000 tokens only what is beyond is dearer",
	"web_search":                  "no fees",
	"written":                     "what ctxledger copied into the continuation of a session counts again",
}

// identified are cases whose answers have no requestId, as none but scripted providers leave out: they get one.
var identified = regexp.MustCompile(`^(shop.jsonl|compacted.jsonl|fork|kept_whole|repeated_usage|advisor|interleaved|late_terms)$`)

// TestRealAuditAgreesWithCcusage compares the dollars and tokens of recorded sessions and of the cases with ccusage.
func TestRealAuditAgreesWithCcusage(t *testing.T) {
	program := os.Getenv(ccusageVariable)
	if program == "" {
		t.Skip(ccusageVariable + " names no ccusage: make ccusage does")
	}
	for _, name := range []string{"shop.jsonl", "compacted.jsonl"} {
		raw, err := os.ReadFile(filepath.Join("../../testdata/sessions", name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(raw), `"model":"scripted"`, `"model":"claude-sonnet-4-5"`)
		agreesWithCcusage(t, program, name, map[string]string{name: text})
		agreesWithCcusage(t, program, "as recorded/"+name, map[string]string{name: text})
	}
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range cases {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		if strings.HasPrefix(name, "codex") {
			continue
		}
		files := map[string]string{}
		eachFile(t, path, func(name string, data []byte) { files[name] = string(data) })
		agreesWithCcusage(t, program, name, files)
	}
}

// agreesWithCcusage compares both on the files of one case.
func agreesWithCcusage(t *testing.T, program, name string, files map[string]string) {
	t.Run(name, func(t *testing.T) {
		dir := t.TempDir()
		for file, text := range files {
			write(t, filepath.Join(dir, "projects/p", file), asWritten(text, identified.MatchString(name)))
		}
		found := run(t, filepath.Join(dir, "projects"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, "claude", "daily", "--offline", "--json")
		cmd.Env = []string{"CLAUDE_CONFIG_DIR=" + dir, "HOME=" + t.TempDir(), "TZ=UTC"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var theirs struct {
			Totals struct {
				Cost   float64 `json:"totalCost"`
				Input  int64   `json:"inputTokens"`
				Output int64   `json:"outputTokens"`
				Read   int64   `json:"cacheReadTokens"`
				Write  int64   `json:"cacheCreationTokens"`
			} `json:"totals"`
		}
		if err := json.Unmarshal(out, &theirs); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		u, x := found.Total.Usage, theirs.Totals
		same := math.Abs(found.Total.Dollars-x.Cost) < 0.005 && u.Input == x.Input && u.Output == x.Output &&
			u.CacheRead == x.Read && u.Written() == x.Write
		if why := ccusageDiffers[name]; same != (why == "") {
			t.Errorf("$%.4f for %+v, ccusage says $%.4f for %+v; it is to differ: %q", found.Total.Dollars, u, x.Cost, x, why)
		}
	})
}

// asWritten returns the lines of a session without spaces, as agents write them and as ccusage wants them. With ids each
// answer has one of its request, and its cache writes say for how long: so do those of the real provider.
func asWritten(text string, ids bool) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(text) {
		var r map[string]any
		if json.Unmarshal([]byte(line), &r) != nil {
			out.WriteString(line)
			continue
		}
		message, _ := r["message"].(map[string]any)
		if u, ok := message["usage"].(map[string]any); ok && ids {
			r["requestId"] = message["id"]
			if parts, ok := u["cache_creation"].(map[string]any); ok {
				parts["ephemeral_5m_input_tokens"] = u["cache_creation_input_tokens"]
			}
		}
		raw, _ := json.Marshal(r) // it was JSON
		out.Write(append(raw, '\n'))
	}
	return out.Bytes()
}
