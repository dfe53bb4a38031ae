package graph

import "testing"

func TestSlugs(t *testing.T) {
	for _, c := range []struct{ heading, slug, legacy string }{
		{"Hello World", "hello-world", "hello-world"},
		{"API v2.0 (draft)", "api-v2-0-draft", "api-v2-0-draft"},
		{"Привет, мир", "привет-мир", ""},
		{"日本語 テスト", "日本語-テスト", ""},
		{"Café Menu", "café-menu", "cafe-menu"},
		{"naïve_approach", "naïve-approach", "naive-approach"},
		{"Straße", "straße", "strae"},
		{"ﬁle Ⅳ", "file-iv", "file-iv"},
		{"🚀 Launch", "launch", "launch"},
		{"???", "", ""},
	} {
		if slug, legacy := Slug(c.heading), LegacySlug(c.heading); slug != c.slug || legacy != c.legacy {
			t.Errorf("%s: %q and %q, want %q and %q", c.heading, slug, legacy, c.slug, c.legacy)
		}
	}
}
