package setup

import (
	"bytes"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

// TestYAndYesAreConsent: who answers y is not shown the whole diff again. Nothing else is consent, nor is an answer without
// its end.
func TestYAndYesAreConsent(t *testing.T) {
	for answer, want := range map[string]bool{
		"yes\n": true, "y\n": true, "Y\n": true, " Yes \r\n": true,
		"\n": false, "n\n": false, "no\n": false, "ye\n": false, "yes please\n": false,
		"yyes\n": false, "yes": false, "": false,
		strings.Repeat(" ", maxTyped) + "yes\n": false,
	} {
		var asked bytes.Buffer
		err := Face{In: strings.NewReader(answer), Err: &asked, Asking: true}.agreed()
		if (err == nil) != want || !want && !fault.Is(err, fault.Denied) || asked.String() != question {
			t.Errorf("%q: %v, after %q", answer, err, asked.String())
		}
	}
	if err := (Face{In: strings.NewReader("yes\n")}).agreed(); !fault.Is(err, fault.Denied) {
		t.Errorf("without a terminal: %v", err)
	}
}
