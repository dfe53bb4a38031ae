package shellcmd

import "testing"

func TestReportsFailureKnowsSuccesses(t *testing.T) {
	for line, want := range map[string]bool{
		"attempt 1 failed, retrying in 5s":         false,
		"Recovered from 2 failures.":               false,
		"retries: 2 failed; 3rd ok":                false,
		"✖ 2 problems (0 errors, 2 warnings)":      false,
		"✖ 2 problems (1 error, 1 warning)":        true,
		"1 failed, 1 passed in 0.02s":              true,
		"Tests:       1 failed, 5 passed, 6 total": true,
		"5 examples, 2 failures":                   true,
		"2 errors generated.":                      true,
		"FAIL\tshop/cart\t0.01s":                   true,
	} {
		if got := ReportsFailure(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
