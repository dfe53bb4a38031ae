package claudecode

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shaped makes a session file of words: "shape H TOOL...", "request H", "call ID", "long" (more than is read), "torn".
func shaped(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.SplitSeq(text, ";") {
		words := strings.Fields(line)
		switch words[0] {
		case "shape":
			var tools []string
			for _, name := range words[2:] {
				tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"\"api-request\"","input_schema":{}}`, name))
			}
			fmt.Fprintf(&out, `{"type":"api-request-shape","shapeHash":%q,"shape":{"system":[],"tools":[%s]}}`,
				words[1], strings.Join(tools, ","))
		case "request":
			fmt.Fprintf(&out, `{"type":"api-request","sessionId":"s","shapeHash":%q,"querySource":"sdk"}`, words[1])
		case "call":
			fmt.Fprintf(&out, `{"type":"assistant","message":{"content":[{"id":%q}]}}`, words[1])
		case "long":
			fmt.Fprintf(&out, `{"type":"user","message":%q}`, strings.Repeat("x", maxBack))
		case "torn":
			out.WriteString(`{"type":"api-request","sessi`)
			continue
		default:
			t.Fatalf("%q is no record", line)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// TestOfferedIsWhatTheNewestRequestOffers.
func TestOfferedIsWhatTheNewestRequestOffers(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       []string
		behind     bool
	}{
		{"one request", "shape a Read Bash;request a;call c", []string{"Read", "Bash"}, false},
		{"its answer is not written yet", "shape a Read;request a", []string{"Read"}, false},
		{"a server switched off", "shape a Read Our;request a;shape b Read;request b;call c", []string{"Read"}, false},
		{"and on again", "shape a Our;request a;shape b Read;request b;request a;call c", []string{"Our"}, false},
		{"a request aside", "shape a Our;request a;call c;shape b;request b;torn", []string{"Our"}, false},
		{"a shape that is not known", "shape a Our;request a;request b;call c", nil, false},
		{"a shape far back", "shape a Our;request a;long;request a;call c", []string{"Our"}, false},
		{"a shape in the middle", "shape a Read;long;shape b Our;long;request b;call c", nil, false},
		{"an older version", "call b;call c", nil, false},
		{"a file that lags behind", "call b", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := shaped(t, c.file)
			got, behind := Shapes{}.Offered(strings.NewReader(text), int64(len(text)), "c")
			if !slices.Equal(got, c.want) || behind != c.behind {
				t.Errorf("%q, behind %t", got, behind)
			}
		})
	}
}

// TestOfferedRemembersShapes: a shape is written once, and a session goes on for long after it.
func TestOfferedRemembersShapes(t *testing.T) {
	s := Shapes{}
	text := shaped(t, "shape a Our;request a;call b")
	if got, _ := s.Offered(strings.NewReader(text), int64(len(text)), "b"); len(got) != 1 {
		t.Fatal(got)
	}
	later := strings.Repeat(" ", maxBack) + "\n" + shaped(t, "request a;call c")
	got, _ := s.Offered(strings.NewReader(later), int64(len(later)), "c")
	if !slices.Equal(got, []string{"Our"}) {
		t.Errorf("%q", got)
	}
}
