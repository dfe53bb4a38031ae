package claudecode

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/transcript"
)

// moment is when the events of these tests happen.
var moment = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// script makes a session file of short lines, each "ID PARENT WHAT", with more words of WHAT after it:
//
//	ask PROMPT           the user's words          call ID     an answer with a call
//	say                  an answer                 result ID PROMPT   a call's result
//	clear ID, cut ID, budget ID, boundary, summary, micro, note, torn
//
// "@N" at the end says that a record was written N minutes before the moment.
func script(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	for text := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		words := strings.Fields(text)
		minutes := 0
		if last := words[len(words)-1]; last[0] == '@' {
			if _, err := fmt.Sscanf(last, "@%d", &minutes); err != nil {
				t.Fatal(err)
			}
			words = words[:len(words)-1]
		}
		words = append(words, "", "")
		what, id, prompt := words[2], words[3], words[4]
		result := `{"type":"user","promptId":"` + prompt + `","message":{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"` + id + `","content":"` + strings.Repeat("text ", 10) + `"}]},`
		records := map[string]string{
			"ask":      `{"type":"user","promptId":"` + id + `","message":{"role":"user","content":"Do it, \"call_1\"."},`,
			"say":      `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"x"}]},`,
			"call":     `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `"}]},`,
			"result":   result,
			"clear":    strings.ReplaceAll(result, strings.Repeat("text ", 10), transcript.Cleared),
			"cut":      `{"type":"attachment","attachment":{"type":"tool_results_cut","callIds":["` + id + `"],"standIn":"gone"},`,
			"budget":   `{"type":"content-replacement","replacements":[{"kind":"tool-result","toolUseId":"` + id + `"}],`,
			"boundary": `{"type":"system","subtype":"compact_boundary",`,
			"micro":    `{"type":"system","subtype":"microcompact_boundary",`,
			"summary":  `{"type":"user","isCompactSummary":true,"message":{"role":"user","content":"s"},`,
			"span":     `{"type":"user","replacesSpan":true,"message":{"role":"user","content":"s"},`,
			"note":     `{"type":"attachment","attachment":{"type":"hook_success","toolUseID":"` + id + `"},`,
			"torn":     `{"type":"assistant","mess`,
		}
		record, known := records[what]
		if !known {
			t.Fatalf("%q is no record", text)
		}
		out.WriteString(record)
		if what != "torn" {
			fmt.Fprintf(&out, `"uuid":%q,"parentUuid":%q,"timestamp":%q}`+"\n", words[0], words[1],
				moment.Add(-time.Duration(minutes)*time.Minute).Format(time.RFC3339Nano))
		}
	}
	return out.String()
}

// holds asks for call_1.
func holds(file string, p Present) Held {
	return Holds(strings.NewReader(file), int64(len(file)), "call_1", p)
}

// begun is a conversation with a call, on which the cases go on.
const begun = "u1 - ask p1\na1 u1 call call_1\nr1 a1 result call_1 p1\na2 r1 say\n"

// TestABranchHoldsTheResultsOfItsOwnCalls asks, before the result of call_9, whether the context has that of call_1.
func TestABranchHoldsTheResultsOfItsOwnCalls(t *testing.T) {
	const next = "u2 a2 ask p2\na3 u2 call call_9\n"
	for _, c := range []struct {
		name, file string
		want       Held
	}{
		{"the next turn", begun + next, Kept},
		{"the call is not written yet, the prompt is", begun + "u2 a2 ask p2", Kept},
		{"nothing of the prompt is written yet", begun, Unknown},
		{"the last line is torn", begun + "u2 a2 ask p2\nx x torn", Kept},
		{"records between that are in no tree", begun + "n1 a2 note call_1\nu2 n1 ask p2", Kept},

		{"rewound to before the call", begun + "u2 - ask p2\na3 u2 call call_9", Unknown},
		{"rewound to before it, and the call not written yet", begun + "u2 - ask p2", Unknown},
		{"rewound to between the call and its result", begun + "u2 a1 ask p2\na3 u2 call call_9", Unknown},
		{"rewound, and back to the branch with the call",
			begun + "u2 - ask p2\na3 u2 say\nu3 a2 ask p3\na4 u3 call call_9", Kept},
		{"rewound twice", begun + "u2 - ask p2\na3 u2 say\nu3 a3 ask p3\na4 u3 call call_9", Unknown},
		{"rewound to behind it", begun + "u2 a2 ask p2\na3 u2 say\nu3 a2 ask p3\na4 u3 call call_9", Kept},

		{"calls of one answer", "u1 - ask p1\na1 u1 call call_1\na2 a1 call call_2\nr1 a1 result call_1 p1\n" +
			"r2 a2 result call_2 p1\nu2 r2 ask p2\na3 u2 call call_9", Kept},
		{"the same, off the line of parents", "u1 - ask p1\na1 u1 call call_2\na2 a1 call call_1\n" +
			"r2 a2 result call_1 p1\nr1 a1 result call_2 p1\nu2 r1 ask p2\na3 u2 call call_9", Unknown},
		{"calls of the answer that is worked on",
			"u1 - ask p2\na1 u1 call call_1\na2 a1 call call_9\nr1 a1 result call_1 p2", Kept},

		{"compacted", begun + "b - boundary\ns b summary\nu2 s ask p2\na3 u2 call call_9", Gone},
		{"compacted, on the line of a torn record", begun + "x x torn\nb - boundary\n" + next, Gone},
		{"a summary without a boundary", begun + "s a2 summary\nu2 s ask p2\na3 u2 call call_9", Gone},
		{"a summary of a part", begun + "s a2 span\nu2 s ask p2\na3 u2 call call_9", Gone},
		{"compacted before", "b - boundary\n" + begun + next, Kept},
		{"compacted on another branch",
			begun + "b - boundary\nu2 a2 ask p2\na3 u2 call call_9", Gone}, // not known to be
		{"results were cleared", begun + "m a2 micro\n" + next, Gone},
		{"the result was cleared where it stands",
			"u1 - ask p1\na1 u1 call call_1\nr1 a1 clear call_1 p1\na2 r1 say\n" + next, Gone},
		{"another one was", begun + "a5 a2 call call_5\nr5 a5 clear call_5 p1\nu2 r5 ask p2\na3 u2 call call_9", Kept},
		{"the result was cut", begun + "c a2 cut call_1\nu2 c ask p2\na3 u2 call call_9", Gone},
		{"another one was cut", begun + "c a2 cut call_5\nu2 c ask p2\na3 u2 call call_9", Kept},
		{"the results were too much together", begun + "x - budget call_1\n" + next, Gone},
		{"a pause of an hour", strings.ReplaceAll(begun, "\n", " @61\n") + next, Gone},
		{"a pause of less", strings.ReplaceAll(begun, "\n", " @59\n") + next, Kept},
		{"a long session without a pause", strings.ReplaceAll(begun, "\n", " @80\n") +
			"u5 a2 ask p5 @40\na5 u5 say @40\nu2 a5 ask p2\na3 u2 call call_9", Kept},
		{"a pause on another branch", begun + "u5 a2 ask p5\nu2 a2 ask p2\na3 u2 call call_9", Kept},
		{"an empty file", "x x torn", Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := script(t, c.file)
			if got := holds(file, Present{Call: "call_9", Prompt: "p2", Time: moment}); got != c.want {
				t.Errorf("it is %d, want %d:\n%s", got, c.want, file)
			}
		})
	}
}

// TestHoldsWithoutAPrompt: older versions do not tell hooks the prompt. The call alone says where the branch is.
func TestHoldsWithoutAPrompt(t *testing.T) {
	for file, want := range map[string]Held{
		begun + "u2 a2 ask p2\na3 u2 call call_9": Kept, begun + "u2 a2 ask p2": Unknown,
	} {
		text := script(t, file)
		if got := holds(text, Present{Call: "call_9", Time: moment}); got != want {
			t.Errorf("it is %d, want %d:\n%s", got, want, text)
		}
	}
}

// TestHoldsReadsBackSoFar: lines that are longer than a step are read, and what is too far back is not known.
func TestHoldsReadsBackSoFar(t *testing.T) {
	between := func(bytes int) string {
		long := `{"type":"user","promptId":"p1","message":{"role":"user","content":"` + strings.Repeat("x", bytes) +
			`"},"uuid":"u8","parentUuid":"a2"}` + "\n"
		return script(t, begun) + long + script(t, "u2 u8 ask p2\na3 u2 call call_9")
	}
	for bytes, want := range map[int]Held{backStep / 2: Kept, 3*backStep + 7: Kept, maxBack: Unknown} {
		text := between(bytes)
		if got := holds(text, Present{Call: "call_9", Prompt: "p2", Time: moment}); got != want {
			t.Errorf("%d bytes between: it is %d, want %d", bytes, got, want)
		}
	}
	cut := between(10)
	got := Holds(strings.NewReader(cut[:50]), int64(len(cut)), "call_1", Present{Call: "call_9", Time: moment})
	if got != Unknown {
		t.Errorf("a file that was cut off meanwhile: %d", got)
	}
}
