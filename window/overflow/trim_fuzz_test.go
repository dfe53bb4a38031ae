package overflow

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/transcript"
)

// FuzzTrim builds conversations from bytes and holds every copy against what copies promise.
func FuzzTrim(f *testing.F) {
	f.Add([]byte{0x10, 3, 0x21, 200, 0x32, 90, 0x0f, 1})
	f.Add([]byte{0x33, 255, 0x33, 255, 0x00, 0})
	f.Add([]byte{0x11, 5, 0x12, 5, 0x91, 250})
	f.Fuzz(func(t *testing.T, script []byte) {
		for _, format := range transcript.Formats() {
			c := scripted(t, format, script[:min(len(script), 40)])
			if err := transcript.Valid(c.Format, c.Messages); err != nil {
				t.Fatalf("%s: the test's own conversation: %v", format, err)
			}
			original := string(bytes.Join(c.Messages, nil))
			last := 1 << 30
			for stage := 1; stage <= Stages; stage++ {
				out, err := Trim(c, stage)
				if err != nil {
					t.Fatalf("%s: %v", format, err)
				}
				valid(t, c, out)
				if out.CharsAfter > last+noteChars {
					t.Fatalf("%s: stage %d has %d characters, the one before %d", format, stage, out.CharsAfter, last)
				}
				if stage == Stages && bytes.Contains(bytes.Join(out.Messages, nil), []byte("words. ")) {
					t.Fatalf("%s: stage 3 has results", format)
				}
				for i, raw := range out.Messages {
					if reasons(raw) &&
						(i+1 == len(out.Messages) || !bytes.Contains(out.Messages[i+1], []byte("assistant"))) &&
						stage == Stages {
						t.Fatalf("%s: message %d is reasoning that led to nothing", format, i)
					}
				}
				last = out.CharsAfter
			}
			if string(bytes.Join(c.Messages, nil)) != original {
				t.Fatalf("%s: the original changed", format)
			}
		}
	})
}

// scripted makes a conversation: of each pair of bytes the first says how many calls a message makes and
// what comes with them, the second how long their results are.
func scripted(t *testing.T, f transcript.Format, script []byte) Copy {
	t.Helper()
	c := Copy{Format: f, Consumed: map[string]bool{}}
	add := func(lines ...string) {
		c.Messages = append(c.Messages, formattest.Provider{Format: f}.Messages(lines...)...)
	}
	add("u Begin.")
	for i := 0; i+1 < len(script); i += 2 {
		kind, long := script[i], int(script[i+1])
		uses, answers := "a", "t"
		if kind&0x20 != 0 || kind%4 == 0 {
			uses += " I_say."
		}
		for k := range int(kind % 4) {
			id := fmt.Sprintf("c%d-%d", i, k)
			c.Consumed[id] = kind&0x40 != 0
			uses += " +" + id
			answers += " " + id + "=" + strings.Repeat("words._", 1+long*(k+1))
		}
		if f == transcript.OpenAIResponses && kind&0x10 != 0 {
			c.Messages = append(c.Messages, fmt.Appendf(nil, `{"type":"reasoning","id":"r%d","summary":[]}`, i))
		}
		if add(uses); kind%4 > 0 {
			add(answers)
		}
		if kind&0x80 != 0 || kind%4 == 0 {
			add("u Go_on.")
		}
	}
	return c
}

// reasons reports whether an item is reasoning.
func reasons(raw []byte) bool { return bytes.HasPrefix(raw, []byte(`{"type":"reasoning"`)) }
