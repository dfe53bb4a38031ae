package sessionfile_test

import (
	"strings"
	"testing"

	"ctxledger.dev/agents/sessionfile"
)

// TestACountIsAWholeNumberInAnySpelling: what is none is no count of 0.
func TestACountIsAWholeNumberInAnySpelling(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "7": 7, "1000": 1000, "1000.0": 1000, "1e3": 1000, "1E+3": 1000, "0.5e1": 5, "1500e-2": 15,
		`"1000"`: 1000, `"007"`: 7, "1099511627776": 1 << 40,
		"-1": -1, "1.5": -1, "1e-1": -1, "1099511627777": -1, "9000000000000000000": -1, "1e999": -1, "null": -1,
		"true": -1, "[]": -1, "{}": -1, "": -1, `""`: -1, `"`: -1, `"-1"`: -1, `"1.0"`: -1, `"1e3"`: -1, `" 1"`: -1,
		`"Inf"`: -1, `"0x10"`: -1, `"1_000"`: -1, `"9000000000000000000"`: -1, `"many"`: -1,
	} {
		if n, ok := sessionfile.Count([]byte(text)); ok != (want >= 0) || ok && n != want || !ok && n != 0 {
			t.Errorf("%s is %d, %v", text, n, ok)
		}
	}
}

// TestWhatOfAReportIsNamed: counts that cannot be read, and positive numbers without a known meaning.
func TestWhatOfAReportIsNamed(t *testing.T) {
	for report, want := range map[string]string{
		`{"in":5,"part":-1,"word":9,"zero":0,"minus":-1,"text":"5","none":null}`: "",
		`{"in":-1}`:                          "in",
		`{"in":1.5}`:                         "in",
		`{"in":{"x":1}}`:                     "in",
		`{"in":"-1","in":"x"}`:               "in",
		`{"in":null}`:                        "",
		`{"deep":{"in":[1],"odd":0.1}}`:      "deep.in deep.odd",
		`{"deep":{"deeper":{"odd":1}}}`:      "",
		`{"odd":1e999,"more":1}`:             "odd more",
		`{"word":{"in":1,"odd":1},"odd":1,}`: "odd",
	} {
		in := int64(3)
		got := sessionfile.Reported([]byte(report), map[string]*int64{"in": &in, "deep.in": &in, "part": nil},
			func(path, _ []byte) bool { return string(path) == "word" })
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", report, got, want)
		}
		if read := int64(5); strings.HasPrefix(report, `{"in":5`) == (in != read) || in != read && in != 3 {
			t.Errorf("%s: %d", report, in)
		}
	}
}
