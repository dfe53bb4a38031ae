package claudecode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// TestWhatAnAnswerIsBilled: to add a case, add a row. The model of the answers is "own".
func TestWhatAnAnswerIsBilled(t *testing.T) {
	type usage = sessions.Usage
	own := func(u usage) sessions.Charge { return sessions.Charge{Model: "own", Usage: u} }
	advisor := sessions.Charge{Model: "opus", Usage: usage{Input: 150, Output: 80}}
	const said = `{"type":"advisor_message","model":"opus","input_tokens":150,"output_tokens":80}`
	for _, c := range []struct {
		name, usage string
		bill        sessions.Bill
		counters    string
	}{
		{"nothing", `{}`, nil, ""},
		{"one call", `{"input_tokens":1,"output_tokens":2,"iterations":[]}`,
			sessions.Bill{own(usage{Input: 1, Output: 2})}, ""},
		{"one call that is listed", `{"input_tokens":1,"output_tokens":2,"iterations":[
			{"type":"message","input_tokens":1,"output_tokens":2}]}`, sessions.Bill{own(usage{Input: 1, Output: 2})}, ""},
		{"an advisor, the sums of the others", `{"input_tokens":30,"output_tokens":7,"iterations":[
			{"type":"message","input_tokens":10,"output_tokens":3},` + said + `,
			{"type":"message","input_tokens":20,"output_tokens":4}]}`,
			sessions.Bill{own(usage{Input: 10, Output: 3}), own(usage{Input: 20, Output: 4}), advisor}, ""},
		{"an advisor, the input of the first", `{"input_tokens":10,"output_tokens":7,"iterations":[
			{"type":"message","input_tokens":10,"output_tokens":3},` + said + `,
			{"type":"message","input_tokens":20,"output_tokens":4}]}`,
			sessions.Bill{own(usage{Input: 10, Output: 3}), own(usage{Input: 20, Output: 4}), advisor}, ""},
		{"an advisor in the sums", `{"input_tokens":160,"output_tokens":83,"iterations":[
			{"type":"message","input_tokens":10,"output_tokens":3},` + said + `]}`,
			sessions.Bill{own(usage{Input: 10, Output: 3}), advisor}, ""},
		{"an advisor alone", `{"input_tokens":10,"output_tokens":3,"iterations":[` + said + `]}`,
			sessions.Bill{own(usage{Input: 10, Output: 3}), advisor}, ""},
		{"sums beyond the calls", `{"input_tokens":12,"output_tokens":3,"iterations":[
			{"type":"message","input_tokens":10,"output_tokens":3},` + said + `]}`,
			sessions.Bill{own(usage{Input: 10, Output: 3}), own(usage{Input: 2}), advisor}, ""},
		{"a compaction before the answer", `{"input_tokens":23,"output_tokens":1,"iterations":[
			{"type":"compaction","input_tokens":180,"output_tokens":4},{"type":"message","input_tokens":23,"output_tokens":1}]}`,
			sessions.Bill{own(usage{Input: 23, Output: 1}), own(usage{Input: 180, Output: 4})}, ""},
		{"another model answered in the end", `{"input_tokens":50,"output_tokens":9,"iterations":[
			{"type":"message","input_tokens":40,"output_tokens":1},
			{"type":"fallback_message","model":"opus","input_tokens":50,"output_tokens":9}]}`,
			sessions.Bill{own(usage{Input: 40, Output: 1}), {Model: "opus", Usage: usage{Input: 50, Output: 9}}},
			""},
		{"another model answered in the end, the sums of both", `{"input_tokens":50,"output_tokens":9,"iterations":[
			{"type":"message","model":"opus","input_tokens":20},
			{"type":"fallback_message","model":"own","input_tokens":30,"output_tokens":9},` + said + `]}`,
			sessions.Bill{{Model: "opus", Usage: usage{Input: 20}}, own(usage{Input: 30, Output: 9}), advisor}, ""},
		{"each call has its own size", `{"input_tokens":300000,"iterations":[
			{"type":"message","input_tokens":90000},{"type":"message","input_tokens":210000}]}`,
			sessions.Bill{own(usage{Input: 90_000}),
				{Model: "own", Terms: tokens.Terms{Over: 200_000}, Usage: usage{Input: 210_000}}}, ""},
		{"an advisor is not fast for its caller", `{"input_tokens":1,"speed":"fast","inference_geo":"us","iterations":[
			{"type":"message","input_tokens":1},` + said + `]}`,
			sessions.Bill{{Model: "own", Terms: tokens.Terms{Named: "fast us"}, Usage: usage{Input: 1}},
				{Model: "opus", Terms: tokens.Terms{Named: "us"}, Usage: advisor.Usage}}, ""},
		{"a call that names its own model is fast, too", `{"input_tokens":3,"speed":"fast","iterations":[
			{"type":"message","model":"own","input_tokens":1},{"model":"anthropic/own","speed":"slow","input_tokens":2}]}`,
			sessions.Bill{{Model: "own", Terms: tokens.Terms{Named: "fast"}, Usage: usage{Input: 1}},
				{Model: "anthropic/own", Terms: tokens.Terms{Named: "slow"}, Usage: usage{Input: 2}}}, ""},
		{"searches, fetches and code", `{"input_tokens":1,"server_tool_use":{"web_search_requests":7,
			"web_fetch_requests":2,"code_execution_requests":3}}`, sessions.Bill{own(usage{Input: 1, Searches: 7})},
			"server_tool_use.code_execution_requests"},
		{"searches of an answer of several calls", `{"input_tokens":3,"server_tool_use":{"web_search_requests":7},
			"iterations":[{"type":"message","input_tokens":1},{"type":"message","input_tokens":2}]}`,
			sessions.Bill{own(usage{Input: 1}), own(usage{Input: 2}), own(usage{Searches: 7})}, ""},
		{"a cache of two lives", `{"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":3,
			"ephemeral_1h_input_tokens":4}}`, sessions.Bill{own(usage{CacheWrite: 7, CacheLong: 4})}, ""},
		{"a cache whose life only the sums report", `{"cache_creation_input_tokens":7,"cache_creation":{
			"ephemeral_1h_input_tokens":5},"iterations":[{"type":"message","cache_creation_input_tokens":4},
			{"type":"message","cache_creation_input_tokens":3}]}`,
			sessions.Bill{own(usage{CacheWrite: 4, CacheLong: 4}), own(usage{CacheWrite: 3, CacheLong: 1})}, ""},
		{"a cache that only its parts report", `{"cache_creation":{"ephemeral_5m_input_tokens":3,
			"ephemeral_1h_input_tokens":4}}`, sessions.Bill{own(usage{CacheWrite: 7, CacheLong: 4})}, ""},
		{"a cache of a new life", `{"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_24h_input_tokens":7}}`,
			sessions.Bill{own(usage{CacheWrite: 7})}, "cache_creation.ephemeral_24h_input_tokens"},
		{"parts, sums and zeros are no gaps", `{"input_tokens":1,"total_tokens":1,
			"output_tokens_details":{"thinking_tokens":9},"image_tokens":0,"fallback_credit":null}`,
			sessions.Bill{own(usage{Input: 1})}, ""},
		{"numbers nobody knows", `{"input_tokens":1,"audio_tokens":5,"deep":{"a":1.5,"b":{"c":1}},
			"iterations":[{"type":"message","input_tokens":1,"odd_tokens":2}]}`, sessions.Bill{own(usage{Input: 1})},
			"audio_tokens deep.a iterations.odd_tokens"},
		{"counts in other spellings", `{"input_tokens":1000.0,"output_tokens":"100","cache_read_input_tokens":1e2,
			"cache_creation_input_tokens":null,"total_tokens":"?"}`,
			sessions.Bill{own(usage{Input: 1000, Output: 100, CacheRead: 100})}, ""},
		{"counts that are none", `{"input_tokens":-5,"output_tokens":1.5,"cache_read_input_tokens":9e18,
			"cache_creation":{"ephemeral_1h_input_tokens":"x"},"server_tool_use":{"web_search_requests":[]},
			"iterations":[{"input_tokens":-5}]}`, nil, "input_tokens output_tokens cache_read_input_tokens " +
			"cache_creation.ephemeral_1h_input_tokens server_tool_use.web_search_requests iterations.input_tokens"},
		{"what is no usage", `[1,2]`, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := sessionfile.Answer{Model: "own"}
			Measure(&a, []byte(c.usage))
			if d := cmp.Diff(c.bill, a.Bill); d != "" {
				t.Error(d)
			}
			if got := strings.Join(a.Counters, " "); got != c.counters {
				t.Errorf("counters %q, want %q", got, c.counters)
			}
		})
	}
}

// The window holds what the last call read that wrote the answer, not what all of them read together.
func TestTheWindowHoldsWhatTheLastCallRead(t *testing.T) {
	for usage, want := range map[string]sessions.Usage{
		`{"input_tokens":3,"output_tokens":7}`: {Input: 3, Output: 7},
		`{"input_tokens":30,"output_tokens":7,"iterations":[{"type":"message","input_tokens":10,"output_tokens":3},
			{"type":"message","input_tokens":20,"output_tokens":4},
			{"type":"advisor_message","model":"opus","input_tokens":150}]}`: {Input: 20, Output: 4},
		`{"input_tokens":50,"output_tokens":7,"iterations":[{"type":"message","model":"opus","input_tokens":20},
			{"type":"fallback_message","input_tokens":30,"output_tokens":7}]}`: {Input: 30, Output: 7},
		`{"input_tokens":3,"iterations":[{"type":"advisor_message","model":"opus","input_tokens":150}]}`: {Input: 3},
	} {
		a := sessionfile.Answer{Model: "own"}
		if Measure(&a, []byte(usage)); a.Usage != want {
			t.Errorf("%s: %+v, want %+v", usage, a.Usage, want)
		}
	}
}

func TestABillOfManyCallsIsBounded(t *testing.T) {
	a := sessionfile.Answer{Model: "own"}
	const call = `{"input_tokens":1}`
	Measure(&a, []byte(`{"input_tokens":5001,"iterations":[`+strings.Repeat(call+",", 5000)+call+"]}"))
	if len(a.Bill) != 1 || a.Bill.Sum().Input != 5001 {
		t.Errorf("%d charges, %+v", len(a.Bill), a.Bill.Sum())
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add(`{"input_tokens":30,"output_tokens":7,"iterations":[{"type":"message","input_tokens":10},{"model":"x"}]}`)
	f.Fuzz(func(t *testing.T, raw string) {
		a := sessionfile.Answer{Model: "own"}
		Measure(&a, []byte(raw))
		sum := a.Bill.Sum()
		if m := measuredIn([]byte(raw)); beyond(m.Usage, sum) != (sessions.Usage{}) {
			t.Errorf("of %+v only %+v is billed: %+v", m.Usage, sum, a.Bill)
		}
		for _, c := range a.Bill {
			if u := c.Usage; u.CacheLong > u.CacheWrite ||
				min(u.Input, u.Output, u.CacheRead, u.CacheWrite, u.CacheLong, u.Searches) < 0 {
				t.Errorf("%+v", u)
			}
		}
	})
}
