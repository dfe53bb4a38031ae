package claudecode

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/sessions"
)

func TestEffectsOfResults(t *testing.T) {
	created := []sessions.Effect{{Path: "/w/a", Op: "created"}}
	modified := []sessions.Effect{{Path: "/w/a", Op: "modified"}}
	for _, c := range []struct {
		name, result string
		want         []sessions.Effect
	}{
		{"Write of a new file",
			`{"type":"create","filePath":"/w/a","content":"","structuredPatch":[],"originalFile":null}`, created},
		{"Write over a file",
			`{"type":"update","filePath":"/w/a","content":"","structuredPatch":[{}],"originalFile":"x"}`, modified},
		{"Edit",
			`{"filePath":"/w/a","oldString":"a","newString":"b","originalFile":"a","structuredPatch":[],"replaceAll":false}`, modified},
		{"Edit that makes a file", `{"filePath":"/w/a","oldString":"","newString":"b","structuredPatch":[]}`, created},
		{"MultiEdit", `{"filePath":"/w/a","edits":[{}],"originalFileContents":"x","structuredPatch":[]}`, modified},
		{"NotebookEdit", `{"notebook_path":"/w/a","updated_file":"{}","edit_mode":"replace","error":""}`, modified},
		{"NotebookEdit that failed", `{"notebook_path":"/w/a","updated_file":"{}","error":"no such cell"}`, nil},
		{"Read", `{"type":"text","file":{"filePath":"/w/a","content":"x"}}`, nil},
		{"Bash", `{"stdout":"rm /w/a","stderr":"","interrupted":false}`, nil},
		{"unknown tool with a path", `{"filePath":"/w/a"}`, nil},
		{"unknown type with a path", `{"type":"rename","filePath":"/w/a","structuredPatch":[]}`, nil},
		{"failure", `"Error: String to replace not found"`, nil},
		{"MCP", `[{"type":"text","text":"x"}]`, nil},
		{"escaped path", `{"type":"create","filePath":"/w/\u0061"}`, created},
		{"path of another kind", `{"type":"create","filePath":7}`, nil},
	} {
		l, _ := parse([]byte(`{"toolUseResult":` + c.result + "}"))
		if d := cmp.Diff(c.want, l.outcome.effects()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
