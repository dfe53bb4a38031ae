package feedback

import (
	"slices"
	"testing"
)

// TestRulesAreWholeSentences: with the list that one introduces, and not cut at an abbreviation.
func TestRulesAreWholeSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                      nil,
		"Build the shop.":                       nil,
		"Build it. Never push to main. Thanks!": {"Never push to main."},
		"Never use Float64, e.g. Half or z. B. Double. Build it.": {"Never use Float64, e.g. Half or z. B. Double."},
		"Always keep v1.2 in go.mod and ask before. OK?":          {"Always keep v1.2 in go.mod and ask before."},
		"Rules:\n- always use tabs\n2) never push\nGo on.":        {"- always use tabs", "2) never push"},
		"From now on:\n\n- tabs\n- no push\n\nNow build.":         {"From now on:\n\n- tabs\n- no push"},
		"好的。千万不要推送到主分支。谢谢":                                        {"千万不要推送到主分支。"},
		"Never \xff": {"Never \xff"},
	} {
		var got []string
		for _, r := range Rules(text) {
			got = append(got, text[r.From:r.To])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
