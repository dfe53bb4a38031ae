package redact

import (
	"strings"
	"testing"
)

func TestEveryLiteralIsHitInEitherCaseAtBothEndsOfAText(t *testing.T) {
	s := builtin()
	literals := map[string]bool{} // and whether case does not matter
	for _, w := range rules() {
		for _, l := range w.literals {
			literals[l] = literals[l] || w.fold
		}
	}
	for _, l := range invisible() {
		literals[l] = literals[l] || s.noise.fold
	}
	for literal, fold := range literals {
		forms := []string{literal}
		if fold {
			forms = append(forms, strings.ToUpper(literal), strings.ToLower(literal))
		}
		for _, form := range forms {
			for _, around := range [][2]string{{"", ""}, {"\x00", ""}, {"", "\x00"}, {"\x00\x00", "\x00\x00"}} {
				hit := false
				s.filter.scan([]byte(around[0]+form+around[1]), func(_ *rule, at, n int) {
					hit = hit || at == len(around[0]) && n == len(form)
				})
				if !hit {
					t.Errorf("%q is not hit in %q", form, around[0]+form+around[1])
				}
			}
		}
	}
}
