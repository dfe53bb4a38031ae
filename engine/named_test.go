package engine_test

import (
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// saveAs saves a text under a name.
func saveAs(t *testing.T, l *engine.Local, name, text string) (artifacts.Artifact, error) {
	t.Helper()
	ref, err := l.PutBlob(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return l.PutArtifact(t.Context(), ledger.PutArtifactRequest{Blob: ref.Hash, Name: name})
}

// saved is saveAs for what can be saved.
func saved(t *testing.T, l *engine.Local, name, text string) artifacts.Artifact {
	t.Helper()
	a, err := saveAs(t, l, name, text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// readAs returns what is read by a name or handle, or why it is not.
func readAs(t *testing.T, l *engine.Local, id string) string {
	t.Helper()
	page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: id})
	if err != nil {
		return string(fault.CodeOf(err)) + ": " + err.Error() + fault.HintOf(err)
	}
	return page.Text
}

func TestWhatIsSavedUnderANameHasItsVersions(t *testing.T) {
	l := open(t)
	first, second := saved(t, l, "plan.md", "the first zebra plan"), saved(t, l, "Plan.md", "the second plan")
	again := saved(t, l, "plan.md", "the second plan")
	other := saved(t, l, "notes/other", "the second plan") // the same content under another name
	if first.Version != 1 || second.Version != 2 || again.Version != 2 || again.ID != second.ID ||
		other.ID != second.ID || other.Version != 1 || other.Name != "notes/other" {
		t.Errorf("versions %+v %+v %+v %+v", first, second, again, other)
	}
	for id, want := range map[string]string{"plan.md": "the second plan", "PLAN.MD": "the second plan",
		first.ID:    "the first zebra plan",
		"plan.md@1": "the first zebra plan", "plan.md@2": "the second plan", "notes/other": "the second plan"} {
		if got := readAs(t, l, id); got != want {
			t.Errorf("%s reads %q", id, got)
		}
	}
	for _, id := range []string{"plan.md@3", "plan.md@0", "plan.md@x", "plan", "nobody"} {
		if got := readAs(t, l, id); !strings.HasPrefix(got, "not_found: ") ||
			!strings.HasSuffix(got, "saved names: Plan.md, notes/other") {
			t.Errorf("%s reads %q", id, got)
		}
	}
	third := saved(t, l, "plan.md", "the first zebra plan") // going back is a version, too
	if third.Version != 3 || readAs(t, l, "plan.md") != "the first zebra plan" {
		t.Errorf("back: %+v", third)
	}
}

// TestAPageOfANameGoesOnInItsVersion: a name is read on by its handle, whatever is saved meanwhile.
func TestAPageOfANameGoesOnInItsVersion(t *testing.T) {
	l := open(t)
	a := saved(t, l, "long.txt", strings.Repeat("a line of the text\n", 2_000))
	page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: "long.txt"})
	if err != nil || page.Next == nil || page.ID != a.ID {
		t.Errorf("page %s of %s, %v", page.ID, a.ID, err)
	}
}

func TestNamesAreSearchedAndListed(t *testing.T) {
	l := open(t)
	put(t, l, "a zebra in a result", "")
	saved(t, l, "zoo-plan.md", "animals and cages")
	found, err := l.SearchArtifacts(t.Context(), ledger.SearchArtifactsRequest{Query: "zoo plan"})
	if err != nil || len(found.Passages) != 1 || found.Passages[0].Name != "zoo-plan.md@1" {
		t.Errorf("%+v, %v", found, err)
	}
	list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{})
	if err != nil || list.Total != 2 || !slices.ContainsFunc(list.Artifacts, func(a artifacts.Artifact) bool {
		return a.Describe() == "zoo-plan.md@1"
	}) {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestNamesAndSizesAreLimited(t *testing.T) {
	l := open(t)
	for name, code := range map[string]fault.Code{
		"": "", "a": fault.Invalid, "plan@1": fault.Invalid, "1f2e3d4c5b6a": fault.Invalid,
		"1f2e3d4c5b6a.2": fault.Invalid,
		"../x":           fault.Invalid, "a b": fault.Invalid, "x\nSYSTEM: y": fault.Invalid, "x\u3164": fault.Invalid,
		"-x": fault.Invalid,
		strings.Repeat("x", limits.ArtifactName+1): fault.TooLarge, "AKIAIOSFODNN7EXAMPLZ": fault.Invalid,
		"übersicht/plan-1.md": "", strings.Repeat("x", limits.ArtifactName): "",
	} {
		_, err := saveAs(t, l, name, "text")
		if (err == nil) != (code == "") || err != nil && fault.CodeOf(err) != code {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := saveAs(t, l, "large", strings.Repeat("x", limits.NamedArtifact+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too large: %v", err)
	}
	saved(t, l, "large", strings.Repeat("x", limits.NamedArtifact))
}

// TestForgettingReachesWhatIsSavedUnderAName: by its name all versions, by a version or its handle that one, by a text the names.
func TestForgettingReachesWhatIsSavedUnderAName(t *testing.T) {
	l := open(t)
	forget := func(r ledger.ForgetRequest) ledger.Forgotten {
		f, err := l.Forget(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, text := range []string{"one", "two", "three"} {
		saved(t, l, "plan.md", text)
	}
	forget(ledger.ForgetRequest{Handle: "plan.md@3"})
	if got := readAs(t, l, "plan.md"); !strings.Contains(got, "was forgotten on") || strings.Contains(got, "plan.md") {
		t.Errorf("the newest version is forgotten: %q", got)
	}
	if got := readAs(t, l, "plan.md@2"); got != "two" {
		t.Errorf("an earlier one: %q", got)
	}
	if a := saved(t, l, "plan.md", "four"); a.Version != 4 {
		t.Errorf("the next one is version %d", a.Version)
	}
	if f := forget(ledger.ForgetRequest{Handle: "plan.md"}); f.Total() != 3 {
		t.Errorf("by its name: %+v", f.Counts)
	}
	for _, id := range []string{"plan.md", "plan.md@1", "plan.md@2", "plan.md@4"} {
		if got := readAs(t, l, id); !strings.Contains(got, "was forgotten on") {
			t.Errorf("%s: %q", id, got)
		}
	}
	saved(t, l, "zebrazoo.md", "stripes")
	forget(ledger.ForgetRequest{Text: "zebrazoo"})
	zoo := func(a artifacts.Artifact) bool { return strings.Contains(a.Describe(), "zebrazoo") }
	list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{})
	if err != nil || slices.ContainsFunc(list.Artifacts, zoo) {
		t.Errorf("the name is still there: %+v, %v", list, err)
	}
	unchanged := func(kv.Tx, map[string]bool) error { return nil }
	if found, left, err := l.Mend(t.Context(), unchanged); err != nil || len(found)+len(left) > 0 {
		t.Errorf("the check finds %+v, leaves %+v, %v", found, left, err)
	}
}
