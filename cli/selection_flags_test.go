package cli

import "testing"

func TestErrorsNameTheFlagsOfTheCommandLine(t *testing.T) {
	for in, want := range map[string]string{
		`the right form: lines="10-40" or lines="10-"`: `the right form: --lines 10-40 or --lines 10-`,
		`head=-3 is not a number of lines`:             `--head -3 is not a number of lines`,
		`json_path="$.a b" does not start`:             `--json-path '$.a b' does not start`,
		`grep="panic", context=3`:                      "--grep panic, --context 3",
		`use grep="\"name\":" or lines="1-200"`:        `use --grep '"name":' or --lines 1-200`,
		`deadlines="x", headlines=3`:                   `deadlines="x", headlines=3`,
		"`head` and `json_path` were given":            "--head and --json-path were given",
		`lines="`:                                      `lines="`,
	} {
		if got := inFlags(in); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}
