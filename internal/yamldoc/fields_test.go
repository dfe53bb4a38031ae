package yamldoc

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestFieldsKeepsOrderAndPositions(t *testing.T) {
	fields, err := Fields([]byte("# c\nb: true\n\nA: [1, 2]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(fields) != 2 || fields[0].Key != "b" || fields[0].Line != 2 || fields[1].Key != "A" || fields[1].Line != 4 ||
		fields[1].Column != 1 {
		t.Fatalf("fields = %+v", fields)
	}
	var b bool
	if err := fields[0].Decode(&b); err != nil || !b {
		t.Errorf("b = %v, %v", b, err)
	}
	err = fields[1].Decode(&b)
	if !fault.Is(err, fault.Invalid) || !strings.HasPrefix(err.Error(), "line 4, column 4: A: ") {
		t.Errorf("a list as a truth value: %v", err)
	}
}

func TestFieldsOfOtherShapes(t *testing.T) {
	for _, c := range []struct{ name, text, wrong string }{
		{"empty", "", ""},
		{"comments", "# nothing\n", ""},
		{"null", "~\n", ""},
		{"list", "- a\n", "line 1: a mapping is expected"},
		{"text", "\nhello\n", "line 2: a mapping is expected"},
		{"two documents", "a: 1\n---\nb: 2\n", "second YAML document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fields, err := Fields([]byte(c.text))
			if c.wrong == "" {
				if err != nil || len(fields) != 0 {
					t.Fatalf("fields %v, error %v", fields, err)
				}
				return
			}
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.wrong) {
				t.Fatalf("error %v", err)
			}
		})
	}
}

func FuzzFieldsEndInFieldsOrAFault(f *testing.F) {
	f.Add([]byte("a: 1\nb: &x [*x]\n"))
	f.Add([]byte("? {a: b}\n: c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fields, err := Fields(data)
		if err != nil {
			if code := fault.CodeOf(err); code != fault.Invalid && code != fault.TooLarge {
				t.Fatalf("code %s: %v", code, err)
			}
			return
		}
		for _, field := range fields {
			if field.Line < 1 || field.Column < 1 {
				t.Fatalf("field without a position: %+v", field)
			}
			var v any
			if err := field.Decode(&v); err != nil && !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
		}
	})
}

// A text is its field's value, whatever it would be in a document.
func TestText(t *testing.T) {
	for _, text := range []string{"a: b", "1", "", "two\nlines"} {
		f := Text("k", text)
		if _, _, got := f.Value(); f.Key != "k" || got != text || !f.IsText() {
			t.Errorf("%q: %q of %s, a text: %v", text, got, f.Key, f.IsText())
		}
	}
}
