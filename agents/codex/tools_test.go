package codex

import (
	"encoding/json"
	"testing"

	"ctxledger.dev/transcript"
)

func TestCallsOfOtherAgents(t *testing.T) {
	for _, c := range []struct {
		name, args string
		want       tool
	}{
		{"Bash", `{"command":"go test ./... && ls"}`, tool{toolExec, `{"cmd":"go test ./... \u0026\u0026 ls"}`, ""}},
		{"exec_command", `{"cmd":"ls"}`, tool{toolExec, `{"cmd":"ls"}`, ""}},
		{"shell", `{"command":["bash","-lc","ls"]}`, tool{toolExec, `{"cmd":"bash -lc ls"}`, ""}},
		{"Read", `{"file_path":"/w/it's.go"}`, tool{toolExec, `{"cmd":"cat '/w/it'\\''s.go'"}`, ""}},
		{"Read", `{"file_path":"/w/a","offset":10,"limit":5}`, tool{toolExec, `{"cmd":"sed -n 10,14p '/w/a'"}`, ""}},
		{"Read", `{"file_path":"/w/a","limit":5}`, tool{toolExec, `{"cmd":"sed -n 1,5p '/w/a'"}`, ""}},
		{"Write", `{"file_path":"/w/a","content":"x\n\ny\n"}`,
			tool{toolPatch, "", "*** Begin Patch\n*** Add File: /w/a\n+x\n+\n+y\n*** End Patch\n"}},
		{"Edit", `{"file_path":"/w/a","old_string":"x\ny","new_string":""}`,
			tool{toolPatch, "", "*** Begin Patch\n*** Update File: /w/a\n@@\n-x\n-y\n*** End Patch\n"}},
		{"apply_patch", `{"input":"*** Begin Patch"}`, tool{toolPatch, "", "*** Begin Patch"}},
		{"Edit", `{"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":true}`, tool{}},
		{"MultiEdit", `{"file_path":"/w/a","edits":[]}`, tool{}},
		{"Read", `{"file_path":"/w/a","offset":5}`, tool{}},
		{"Bash", `{}`, tool{}},
		{"Bash", `[]`, tool{}},
		{"Task", `{"prompt":"x"}`, tool{}},
	} {
		got, ok := toolOf(transcript.Part{Name: c.name, Args: json.RawMessage(c.args)})
		if got != c.want || ok != (c.want != tool{}) {
			t.Errorf("%s %s: %+v, want %+v", c.name, c.args, got, c.want)
		}
	}
}
