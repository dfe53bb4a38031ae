package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsObservedOfWhichTree(t *testing.T) {
	trees := []string{"/w", "/w/in", "/b", "/b/in", "/c"}
	for _, c := range []struct{ name, touched, skipped, want string }{
		{"nothing touched", "", "", "/w true [{in true}]"},
		{"the last before all", "/c /b", "", "/w true [{in true}], /c true [], /b true [{in false}]"},
		{"one inside the workspace is the workspace's", "/w/in", "", "/w true [{in true}]"},
		{"one that is no tree any more", "/x", "", "/w true [{in true}]"},
		{"one that is skipped", "/b /c", "/b", "/w true [{in true}], /c true []"},
		{"the workspace is skipped", "/b", "/w", "/w false [{in true}], /b true [{in false}]"},
		{"one inside is skipped", "", "/w/in", "/w true [{in false}]"},
		{"all are skipped", "/b /c", "/w /w/in /b /b/in /c", ""},
	} {
		skip := func(tree string) bool { return slices.Contains(strings.Fields(c.skipped), tree) }
		var got []string
		for _, s := range scopes("/w", trees, strings.Fields(c.touched), skip) {
			got = append(got, fmt.Sprint(s.root, " ", s.own, " ", s.inner))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %s", c.name, got, c.want)
		}
	}
}
