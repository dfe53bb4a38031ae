package transcript

import "testing"

func TestSpeaker(t *testing.T) {
	for raw, want := range map[string]string{
		`{"role":"assistant","name":"critic","content":"No."}`:                         "critic",
		`{"role":"user","name":"Ada","content":[{"type":"text","text":"Go."}]}`:        "Ada",
		`{"role":"model","name":"planner","parts":[{"text":"x"}]}`:                     "planner",
		`{"type":"message","role":"assistant","name":"a","content":[]}`:                "a",
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Bash"}]}`:  "",
		`{"role":"tool","name":"get_weather","tool_call_id":"1","content":"x"}`:        "",
		`{"role":"function","name":"get_weather","content":"x"}`:                       "",
		`{"type":"function_call","name":"get_weather","call_id":"1","arguments":"{}"}`: "",
		`{"role":"assistant","name":7,"content":"x"}`:                                  "",
		`{"role":"assistant","name":"broken`:                                           "",
		`{"role":"user","content":"x"}`:                                                "",
	} {
		if got := Speaker([]byte(raw)); got != want {
			t.Errorf("%s says %q, want %q", raw, got, want)
		}
	}
}
