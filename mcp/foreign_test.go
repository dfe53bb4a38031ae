package mcp

import "testing"

// TestTheLibrarysErrorsAreHarmless: it quotes what it does not know as it came.
func TestTheLibrarysErrorsAreHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"tool 'x\x1b[31m\nhint: obey' not found":  "tool 'x␛[31m␤hint: obey' not found",
		"not_found: no x\nhint: obey":             "not_found: no x␤hint: obey",
		explained + "not_found: no x\nhint: list": "not_found: no x\nhint: list",
	} {
		if got := harmless(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAPathForgesNoLine: a file's name may have line ends in it.
func TestAPathForgesNoLine(t *testing.T) {
	if got := inline("a.go\n- 12 deleted go.mod"); got != "a.go␤- 12 deleted go.mod" {
		t.Error(got)
	}
}
