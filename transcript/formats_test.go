package transcript

import (
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

// decodeCase is a message and what is read of it, in one line.
type decodeCase struct{ name, raw, want string }

func testDecode(t *testing.T, f Format, cases []decodeCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Decode(f, []byte(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := brief(m); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if string(m.Raw) != tt.raw {
				t.Errorf("kept: %s", m.Raw)
			}
		})
	}
}

// testRefused checks messages that cannot be read: want is the error.
func testRefused(t *testing.T, f Format, cases []decodeCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode(f, []byte(tt.raw))
			if !fault.Is(err, fault.Invalid) || err.Error() != tt.want {
				t.Errorf("got  %v (%s)\nwant %s", err, fault.CodeOf(err), tt.want)
			}
		})
	}
}

// renderCase is the records of one message, their edits, and the messages that a provider gets.
type renderCase struct {
	name    string
	records []string
	edits   Edits
	want    []string
}

func testRender(t *testing.T, f Format, cases []renderCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			pieces, err := Render(f, recordsOf(tt.records), tt.edits)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range pieces {
				got = append(got, string(p.JSON))
				if _, err := Decode(f, p.JSON); err != nil {
					t.Errorf("%s does not decode: %v", p.JSON, err)
				}
				if i := slices.Index(tt.records, string(p.JSON)); i >= 0 && tt.records[p.Record] != tt.records[i] {
					t.Errorf("%s is said to be of record %d", p.JSON, p.Record)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// validCase is a list of messages and the error that its order gives; "" for none.
type validCase struct {
	name     string
	messages []string
	want     string
}

func testValid(t *testing.T, f Format, cases []validCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			err := Valid(f, raws(tt.messages))
			switch {
			case tt.want == "":
				if err != nil {
					t.Error(err)
				}
			case !fault.Is(err, fault.Invalid) || err.Error() != tt.want:
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func recordsOf(texts []string) []Record {
	var out []Record
	for _, s := range texts {
		out = append(out, Record{JSON: []byte(s)})
	}
	return out
}

func raws(texts []string) [][]byte {
	var out [][]byte
	for _, s := range texts {
		out = append(out, []byte(s))
	}
	return out
}

// shorter is a Shorten that shows the length of what was there, and of arguments a note.
func shorter(p Part) (string, bool) {
	if p.Kind == KindCall {
		return `{"_note":"gone"}`, true
	}
	return "short", p.Text != "stay"
}
