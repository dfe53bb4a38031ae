package poison

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// mask is what replaces a secret.
var mask = regexp.MustCompile(`\[masked:[a-z0-9-]{1,32}:[0-9a-f]{8}\]`)

// SameText says whether a text that left a ledger is not the stored one, as JSON has it, apart from masks.
func SameText(stored, got string) error {
	want, err := inJSON(stored)
	if err != nil || want == got {
		return err
	}
	pieces := mask.Split(got, -1)
	if len(pieces) > 1 && masks(pieces, want) {
		return nil
	}
	return fmt.Errorf("%.200q is stored, and this came out: %.200q", want, got)
}

// masks reports whether a text is these pieces, in their order, with anything between them.
func masks(pieces []string, text string) bool {
	last := len(pieces) - 1
	if !strings.HasPrefix(text, pieces[0]) {
		return false
	}
	text = text[len(pieces[0]):]
	for _, p := range pieces[1:last] {
		_, after, found := strings.Cut(text, p)
		if !found {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, pieces[last])
}

// inJSON returns a text as JSON hands it on: what is not UTF-8 is replaced.
func inJSON(text string) (string, error) {
	raw, err := json.Marshal(text)
	if err != nil {
		return "", err
	}
	var out string
	err = json.Unmarshal(raw, &out)
	return out, err
}

// SameJSON says whether an output is not the JSON of a stored value, apart from masks.
func SameJSON(stored any, out []byte) error {
	raw, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	var want, got any
	if err := json.Unmarshal(raw, &want); err != nil {
		return err
	}
	if err := json.Unmarshal(out, &got); err != nil {
		return err
	}
	return same("", want, got)
}

// same compares two values as JSON has them; at is their path.
func same(at string, want, got any) error {
	switch w := want.(type) {
	case string:
		g, ok := got.(string)
		if !ok {
			return fmt.Errorf("%s: %v is not text", at, got)
		}
		if err := SameText(w, g); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s: %.200v, and %.200v is stored", at, got, want)
		}
		for i := range w {
			if err := same(fmt.Sprintf("%s[%d]", at, i), w[i], g[i]); err != nil {
				return err
			}
		}
	case map[string]any:
		return sameObject(at, w, got)
	default:
		if want != got {
			return fmt.Errorf("%s: %v, and %v is stored", at, got, want)
		}
	}
	return nil
}

// sameObject compares two objects. A name that was masked is looked for among those that are left.
func sameObject(at string, want map[string]any, got any) error {
	g, ok := got.(map[string]any)
	if !ok || len(g) != len(want) {
		return fmt.Errorf("%s: %.200v, and %.200v is stored", at, got, want)
	}
	for name, w := range want {
		v, known := g[name]
		for n := range g {
			if !known && SameText(name, n) == nil {
				v, known = g[n], true
			}
		}
		if !known {
			return fmt.Errorf("%s: no member %.200q", at, name)
		}
		if err := same(at+"."+name, w, v); err != nil {
			return err
		}
	}
	return nil
}
