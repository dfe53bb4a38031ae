package tokens

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

// table is the text of a table with these lines.
func table(date string, lines ...string) string {
	return "date " + date + "\nsource https://example.com\n" + strings.Join(lines, "\n") + "\n"
}

func TestABadTableOfModelsIsRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `it needs a line "date 2006-01-02"`},
		{"date 2026-11-27\nx claude 1 1 1 1 1 1", `a line "source …"`},
		{table("2026-11-27"), "a line for each model"},
		{table("27.11.2026", "x claude 1 1 1 1 1 1"), "line 1"},
		{table("2026-11-27", "date 2026-11-28"), "line 3"},
		{table("2026-11-27", "x o200k_base 1 1 1 1 1"), `line 3: "x o200k_base 1 1 1 1 1": 7 columns, want 8`},
		{table("2026-11-27", "x nothing 1 1 1 1 1 1"), "unknown family"},
		{table("2026-11-27", "x claude a 1 1 1 1 1"), "invalid syntax"},
		{table("2026-11-27", "x claude 1 - 1 1 1 -1"), "is not a price"},
		{table("2026-11-27", "x claude -1 - - - - -"), "window"},
		{table("2026-11-27", "x claude 10 11 - - - -"), "output"},
		{table("2026-11-27", "x claude - - - - - -", "x claude - - - - - -"), `model "x" has two lines`},
		{table("2026-11-27", "X claude - - - - - -"), `the name must be written as "x"`},
		{table("2026-11-27", "x claude - - 10001 - - 20000"), "more than the limit of 10000"},
		{table("2026-11-27", "x claude - - 3 - - -"), "not for both"},
		{table("2026-11-27", "x claude - - 3 4 - 15"), "reading from the cache costs more"},
		{table("2026-11-27", "x claude - - 3 - 2 15"), "writing to the cache costs less"},
		{table("2026-11-27", "x claude - - 3 - - 2"), "output costs less"},
		{table("2026-11-27", "x claude - - 3 - - 15 fast"), "is not a price"},
		{table("2026-11-27", "x claude - - 3 - - 15 fast=101"), "the factor is not between 1/100 and 100"},
		{table("2026-11-27", "x claude - - 3 - - 15 fast=2/0"), "the factor is not between"},
		{table("2026-11-27", "x claude - - 3 - - 15 fast=2 fast=3"), "there are two"},
		{table("2026-11-27", "x claude - - 3 - - 15 >5=2"), "size is not one of"},
		{table("2026-11-27", "x claude - - 3 - - 15 So=2"), "it is not name=factor"},
		{table("2026-11-27", "x claude - - 3 - - 15 search=-1"), "is not a price"},
	} {
		got, err := ParseTable(c.text)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s; read as %+v", c.text, err, c.want, got)
		}
	}
	if _, err := ParseTable(strings.Repeat("#", MaxTable+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a huge table: %v", err)
	}
}

func TestATableIsPrintedAsItIsRead(t *testing.T) {
	whole, err := ParseTable(Builtin().Prices().String())
	if err != nil {
		t.Fatal(err)
	}
	if changes := whole.Since(Builtin().Prices()); len(changes) > 0 || whole.Date != Builtin().Prices().Date {
		t.Errorf("of %s, %s", whole.Date, strings.Join(changes, "\n"))
	}
}

func TestATableTakesThePlaceOfOlderPrices(t *testing.T) {
	newer, err := ParseTable(table("2030-01-02", "gpt-4o o200k_base 128000 16384 2 1 - 8",
		"claude-new claude - - 1 - - 5 >200000=2/1.5"))
	if err != nil {
		t.Fatal(err)
	}
	r := Builtin().Updated(newer)
	if got := r.Prices(); got.Date != "2030-01-02" || len(got.Models) != len(Builtin().Prices().Models)+1 {
		t.Errorf("prices of %s, %d models", got.Date, len(got.Models))
	}
	changes := strings.Join(r.Prices().Since(Builtin().Prices()), "\n")
	for _, want := range []string{"- gpt-4o ", "+ gpt-4o ", "+ claude-new ", ">200000=2/1.5"} {
		if !strings.Contains(changes, want) {
			t.Errorf("the changes lack %q:\n%s", want, changes)
		}
	}
	if n := strings.Count(changes, "\n"); n != 2 {
		t.Errorf("%d lines of changes:\n%s", n+1, changes)
	}
	older, err := ParseTable(table("2020-01-02", "gpt-4o o200k_base 128000 16384 2 1 - 8"))
	if err != nil {
		t.Fatal(err)
	}
	if got := Builtin().Updated(older); got != Builtin() {
		t.Errorf("older prices are in effect: %s", got.Prices().Date)
	}
}

func FuzzParseTable(f *testing.F) {
	f.Add(table("2026-11-27", "x claude 10 5 3 1 4 15 search=10 fast=2 >200000=2/1.5 # of x"))
	f.Fuzz(func(t *testing.T, text string) {
		whole, err := ParseTable(text)
		if err != nil {
			return
		}
		if again, err := ParseTable(whole.String()); err != nil || len(again.Since(whole)) > 0 {
			t.Errorf("%s\nis printed as\n%s\n%v, %q", text, whole, err, again.Since(whole))
		}
	})
}
