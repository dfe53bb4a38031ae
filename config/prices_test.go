package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

// priced is a table of a day in which a model costs so many dollars.
func priced(date, dollars string) string {
	return "date " + date + "\nsource https://example.com\ngpt-4o o200k_base 128000 16384 " + dollars + " - - 90\n"
}

func TestPricesAreUpdatedAndTakenBack(t *testing.T) {
	p := newPlace(t)
	now := time.Date(2030, 6, 15, 12, 0, 0, 0, time.UTC)
	p.e.Now = func() time.Time { return now }
	file := filepath.Join(filepath.Dir(UserFile(p.e)), PricesFile)
	costs := func(want, date string) {
		t.Helper()
		c, problems := p.load()
		m, _ := c.Models.Lookup("gpt-4o")
		if m.Price.Input.String() != want || c.Models.Prices().Date != date || len(problems) > 0 {
			t.Errorf("$%s, of %s, %v; want $%s, of %s", m.Price.Input, c.Models.Prices().Date, problems, want, date)
		}
	}
	ours := tokens.Builtin().Prices().Date
	costs("2.5", ours)
	if _, err := UndoPrices(p.e, p.root); !fault.Is(err, fault.NotFound) {
		t.Errorf("nothing is taken back: %v", err)
	}
	for _, c := range []struct{ date, dollars string }{{"2030-01-01", "7"}, {"2030-06-16", "8"}} {
		did, err := UpdatePrices(p.e, p.root, []byte(priced(c.date, c.dollars)))
		if err != nil || did.File != file || len(did.Now.Since(did.Was)) != 2 {
			t.Fatalf("%+v, %v", did, err)
		}
		costs(c.dollars, c.date)
	}
	for want, text := range map[string]string{
		"newer: 2030-06-16": priced("2030-06-15", "9"), "in the future": priced("2030-06-17", "9"),
		"line 3": priced("2030-06-16", "-9"), "more than the limit": priced("2030-06-16", "99999"),
	} {
		_, err := UpdatePrices(p.e, p.root, []byte(text))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	costs("8", "2030-06-16")
	for _, want := range []struct{ dollars, date string }{{"7", "2030-01-01"}, {"8", "2030-06-16"}} {
		if _, err := UndoPrices(p.e, p.root); err != nil {
			t.Fatal(err)
		}
		costs(want.dollars, want.date)
	}
}

// TestUpdatesOfPricesAddUp: a later table of other models leaves what an earlier one says of its own.
func TestUpdatesOfPricesAddUp(t *testing.T) {
	p := newPlace(t)
	p.e.Now = func() time.Time { return time.Date(2030, 6, 15, 12, 0, 0, 0, time.UTC) }
	row := func(model, dollars string) string { return model + " o200k_base - - " + dollars + " - - 90\n" }
	steps := []struct{ table, want string }{
		{"date 2030-01-01\nsource https://one.example\n" + row("gpt-4o", "7") + row("gpt-5", "3"), "7 3 0.25"},
		{"source https://two.example\ndate 2030-01-02\n" + row("gpt-5-mini", "4"), "7 3 4"},
		{"date 2030-01-02\nsource https://one.example\n" + row("gpt-5", "5"), "7 5 4"},
	}
	force := func() string {
		c, problems := p.load()
		var all []string
		for _, name := range []string{"gpt-4o", "gpt-5", "gpt-5-mini"} {
			m, _ := c.Models.Lookup(name)
			all = append(all, m.Price.Input.String())
		}
		if len(problems) > 0 {
			t.Errorf("%v", problems)
		}
		return strings.Join(all, " ")
	}
	before := force()
	for _, s := range steps {
		did, err := UpdatePrices(p.e, p.root, []byte(s.table))
		if got := force(); err != nil || got != s.want || strings.Count(did.Now.String(), "https://one.example") != 1 {
			t.Fatalf("%v: $%s, want $%s; %s", err, got, s.want, did.Now.Sources)
		}
		for _, want := range []string{before, s.want} { // there and back again
			if _, err := UndoPrices(p.e, p.root); err != nil || force() != want {
				t.Errorf("%v: $%s are in effect, want $%s", err, force(), want)
			}
		}
		before = s.want
	}
	text, _ := os.ReadFile(filepath.Join(filepath.Dir(UserFile(p.e)), PricesFile))
	if n := strings.Count(string(text), "gpt-5 "); n != 1 || !strings.HasPrefix(string(text), "date 2030-01-01") {
		t.Errorf("lines that are not in effect any more are kept:\n%s", text)
	}
}

// The configuration's own prices go before those of a table, a newer program before an older table, and a table that cannot
// be used leaves those of the program.
func TestWhichPricesAreInForce(t *testing.T) {
	const own = "models: {gpt-4o: {price: {input: 3, output: 9}}}"
	for _, c := range []struct{ name, table, config, want, problem string }{
		{"a table", priced("2030-01-01", "7"), "-", "7", ""},
		{"an older table", priced("2020-01-01", "7"), "-", "2.5", ""},
		{"the own price of a model", priced("2030-01-01", "7"), own, "3", ""},
		{"a broken table", "junk", "-", "2.5", "models.txt:1: "},
		{"what leaves the program's", "", "-", "2.5", ""},
		{"what earlier versions left it with", "# the table of the program is in effect\n", "-", "2.5", ""},
		{"two tables", priced("2030-01-01", "7") + priced("2030-01-02", "8"), "-", "8", ""},
		{"two tables, one of them older than the program", priced("2020-01-01", "7") +
			strings.Replace(priced("2030-01-02", "8"), "gpt-4o", "other", 1), "-", "2.5", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.configure(t, "-", c.config)
			write(t, filepath.Join(filepath.Dir(UserFile(p.e)), PricesFile), []byte(c.table))
			got, problems := p.load()
			if m, _ := got.Models.Lookup("gpt-4o"); m.Price.Input.String() != c.want {
				t.Errorf("$%s", m.Price.Input)
			}
			if c.problem == "" && len(problems) == 0 {
				return
			}
			if len(problems) != 1 || !strings.Contains(problems[0].String(), c.problem) || problems[0].Instead == "" {
				t.Errorf("%v", problems)
			}
		})
	}
}

func TestALoaderSeesThatPricesHaveChanged(t *testing.T) {
	p := newPlace(t)
	now := time.Date(2030, 6, 15, 12, 0, 0, 0, time.UTC)
	p.e.Now = func() time.Time { return now }
	l := NewLoader(p.e, nil)
	file := filepath.Join(filepath.Dir(UserFile(p.e)), PricesFile)
	for _, want := range []string{"2.5", "7", "2.5"} {
		_ = os.Remove(file) // at first there is none
		if want == "7" {
			write(t, file, []byte(priced("2030-01-01", want)))
		}
		now = now.Add(2 * Fresh)
		c, _ := l.Load(p.root, p.state)
		if m, _ := c.Models.Lookup("gpt-4o"); m.Price.Input.String() != want {
			t.Errorf("$%s, want $%s", m.Price.Input, want)
		}
	}
}
