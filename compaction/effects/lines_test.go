package effects

import "testing"

// What an edit put into a file is told by the lines that say something.
func TestLinesOnlyIn(t *testing.T) {
	for _, tt := range []struct{ text, other, want string }{
		{"a = 1\nb = 2\n", "a = 1\n", "b = 2"},
		{"package p\n\nimport (\n\t\"fmt\"\n)\n\nfunc F() {\n}\n", "", "func F() {"},
		{"from os import path\nimport sys\nprint(path)\n", "", "print(path)"},
		{"use std::io;\n#include <a.h>\nusing System;\nx();\n", "", "x();"},
		{"use the other one\npackage of two\n", "", "use the other one ⏎ package of two"},
		{"one\ntwo two two two two two\nthree\nfour\n", "", "one ⏎ two two two two two two"},
		{"}\n)\n---\n", "", ""},
	} {
		if got := LinesOnlyIn(tt.text, tt.other, 20); got != tt.want {
			t.Errorf("%q without %q: %q, want %q", tt.text, tt.other, got, tt.want)
		}
	}
}
