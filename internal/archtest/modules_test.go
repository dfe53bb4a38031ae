package archtest

import (
	"os"
	"regexp"
	"testing"
)

// TestBothModulesUseTheSameVersions: the harnesses of lab/ test programs of their own build, which has to be the one that
// users get.
func TestBothModulesUseTheSameVersions(t *testing.T) {
	product, lab := versions(t, "../../go.mod"), versions(t, "../../lab/go.mod")
	if len(product) < 20 {
		t.Fatalf("only %d modules found in go.mod", len(product))
	}
	for path, version := range lab {
		if p := product[path]; p != "" && p != version {
			t.Errorf("%s is %s in go.mod, and %s in lab/go.mod: run go get %s@%s in lab, and go mod tidy", path, p,
				version, path, p)
		}
	}
}

// versions returns the modules that a go.mod requires, with their versions.
func versions(t *testing.T, file string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(string(raw), -1) {
		found[m[1]] = m[2]
	}
	return found
}
