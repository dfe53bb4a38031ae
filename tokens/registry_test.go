package tokens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestLookupKnowsTheTokenizerOfAModel(t *testing.T) {
	for _, c := range []struct {
		encoding *Encoding
		family   Family
		models   string
	}{
		{O200kBase, 0,
			"gpt-4o gpt-4o-mini gpt-4o-2024-08-06 chatgpt-4o-latest gpt-4.1 gpt-4.1-mini gpt-4.5-preview gpt-5 gpt-5-codex gpt-5.1 gpt-5.1-codex-max"},
		{O200kBase, 0,
			"o1 o1-mini o3 o3-pro o4-mini gpt-oss-120b gpt-oss:20b openai/gpt-4o ft:gpt-4o:acme::x GPT-4O gpt-5.9"},
		{CL100kBase, 0,
			"gpt-4 gpt-4-0613 gpt-4-32k gpt-4-turbo gpt-4-1106-preview gpt-3.5-turbo gpt-3.5-turbo-16k gpt-35-turbo"},
		{nil, Claude3,
			"claude-3-opus-20240229 claude-3-5-sonnet-latest claude-3.5-sonnet claude-sonnet-4-20250514 claude-sonnet-4-5 claude-sonnet-4-5-20250929"},
		{nil, Claude3,
			"claude-opus-4-1 claude-opus-4-20250514 claude-opus-4-6 claude-opus-4.6 claude-haiku-4-5 claude-2.1 claude-sonnet-4-5[1m]"},
		{nil, Claude3,
			"anthropic/claude-sonnet-4.5 us.anthropic.claude-3-5-sonnet-20241022-v2:0 claude-3-5-sonnet@20240620"},
		{nil, Claude,
			"claude-opus-4-7 claude-opus-4.7 claude-opus-4-8-20260101 claude-sonnet-5 claude-opus-5 claude-fable-5 anthropic.claude-opus-5-v1:0"},
		{nil, Gemini,
			"gemini-1.5-pro gemini-2.0-flash gemini-2.5-pro models/gemini-2.5-flash gemini-3-pro google/gemini-2.5-pro"},
		{nil, Llama3, "llama-3.1-70b meta-llama/Llama-3-8B"},
		{nil, Qwen2, "qwen2.5-coder-7b Qwen/Qwen3-8B"},
		{nil, 0, "gpt-4oo gpt-6 gpt-4.7 gpt gpt-50 o35 o2 llama-4 qwen3.5-9b claude x anthropic. / 中"},
	} {
		for name := range strings.FieldsSeq(c.models) {
			m, known := Builtin().Lookup(name)
			if m.Encoding != c.encoding || m.Family != c.family || known != (c.encoding != nil || c.family != 0) {
				t.Errorf("%s: %v, encoding %v, family %q", name, known, m.Encoding, m.Family)
			}
		}
	}
	for _, name := range []string{"", "   "} {
		if m, known := Builtin().Lookup(name); known {
			t.Errorf("%q is %+v", name, m)
		}
	}
}

func TestWindowOfCommonModels(t *testing.T) {
	for name, want := range map[string]int{
		"claude-sonnet-4-5-20250929": 200_000,
		"claude-sonnet-4-5[1m]":      1_000_000,
		"claude-opus-4.5":            200_000,
		"claude-opus-4.6":            1_000_000,
		"claude-opus-5":              1_000_000,
		"gpt-4o-mini":                128_000,
		"gpt-4.1-nano":               1_047_576,
		"gpt-5-codex":                400_000,
		"gpt-5.1":                    400_000,
		"o3":                         200_000,
		"o4-mini":                    200_000,
		"gemini-1.5-flash":           1_048_576,
		"gemini-2.5-pro":             1_048_576,
		"gpt-4-turbo-2024-04-09":     128_000,
		"gpt-4":                      8_192,
		"gpt-4-0613":                 8_192,
		"gpt-3.5-turbo":              16_385,
		"gemini-9":                   0,
		"unknown-model":              0,
		"unknown[1m]":                0,
		"":                           0,
	} {
		if got, known := Builtin().Window(name); got != want || known != (want > 0) {
			t.Errorf("%q has a window of %d, %v, want %d", name, got, known, want)
		}
	}
}

// Which figures belong to which name, against a shift of columns or lines.
func TestOutputAndPricesOfCommonModels(t *testing.T) {
	for _, c := range []struct {
		name   string
		output int
		price  string // input, cached read, cached write, output
	}{
		{"claude-opus-4-5-20251101", 64_000, "5 0.5 6.25 25"},
		{"claude-3-haiku-20240307", 4_096, "0.25 0.03 0.3 1.25"},
		{"gpt-4o-2024-11-20", 16_384, "2.5 1.25 - 10"},
		{"gpt-4o-2024-05-13", 4_096, "5 - - 15"},
		{"gpt-5-nano", 128_000, "0.05 0.005 - 0.4"},
		{"gemini-1.5-flash-8b", 8_192, "0.0375 0.01 - 0.15"},
		{"o4", 0, "- - - -"},
	} {
		m, _ := Builtin().Lookup(c.name)
		var rates []string
		for _, r := range []Rate{m.Price.Input, m.Price.CachedRead, m.Price.CachedWrite, m.Price.Output} {
			rates = append(rates, cmp.Or(r.String(), "-"))
		}
		if got := strings.Join(rates, " "); got != c.price || m.Output != c.output {
			t.Errorf("%s: output %d, prices %s; want %d, %s", c.name, m.Output, got, c.output, c.price)
		}
	}
}

func TestTheTableOfModelsIsSorted(t *testing.T) {
	var names []string
	for line := range strings.Lines(modelTable) {
		if f := strings.Fields(line); len(f) >= 8 && f[0] != "#" {
			names = append(names, f[0])
		}
	}
	if !slices.IsSorted(names) || len(names) != len(Builtin().Prices().Models) {
		t.Errorf("the %d lines of models are not sorted, or not all models", len(names))
	}
}

func TestAUsersModelsComeBesideTheBuiltInOnes(t *testing.T) {
	five := rate(t, "5")
	r, err := Builtin().With(
		Model{Name: "claude-internal-7", Family: Claude, Window: 500_000, Output: 64_000, Price: Price{Input: five}},
		Model{Name: "acme/My-GPT", Encoding: O200kBase, Window: 200_000},
		Model{Name: "gpt-5", Window: 300_000},
		Model{Name: "claude-opus-4.5", Price: Price{Input: five}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		encoding *Encoding
		family   Family
		window   int
		input    string
	}{
		{"claude-internal-7-fast", nil, Claude, 500_000, "5"},
		{"claude-internal-8", nil, Claude, 200_000, ""},
		{"my-gpt-2", O200kBase, 0, 200_000, ""},
		{"gpt-5", O200kBase, 0, 300_000, "1.25"}, // what is left open is the built-in entry's
		{"gpt-5-codex", O200kBase, 0, 300_000, "1.25"},
		{"gpt-5-mini", O200kBase, 0, 400_000, "0.25"}, // the longer prefix wins
		{"claude-opus-4-5-20251101", nil, Claude3, 200_000, "5"},
		{"gpt-4o", O200kBase, 0, 128_000, "2.5"},
	} {
		m, _ := r.Lookup(c.name)
		if m.Encoding != c.encoding || m.Family != c.family || m.Window != c.window ||
			m.Price.Input.String() != c.input {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
	if m, _ := r.Lookup("claude-opus-4-5"); m.Price.Output.known() {
		t.Errorf("a price of the user's was mixed with the built-in one: %+v", m.Price)
	}
	if m, known := Builtin().Lookup("my-gpt"); known {
		t.Errorf("the built-in registry has changed: %+v", m)
	}
}

func TestAModelThatMakesNoSenseIsRefused(t *testing.T) {
	for _, c := range []struct {
		models []Model
		code   fault.Code
		want   string
	}{
		{[]Model{{Name: " "}}, fault.Invalid, "name: it is empty"},
		{[]Model{{Name: "x/"}}, fault.Invalid, "name: it is empty"},
		{[]Model{{Name: strings.Repeat("x", 201)}}, fault.Invalid,
			"name: it has 201 bytes, more than the limit of 200"},
		{[]Model{{Name: "m", Window: -1}}, fault.Invalid,
			`model "m": window: -1 tokens are not between 1 and 100000000`},
		{[]Model{{Name: "m", Window: maxTokens + 1}}, fault.Invalid, "window"},
		{[]Model{{Name: "m", Output: maxTokens + 1}}, fault.Invalid, "output"},
		{[]Model{{Name: "m", Window: 10, Output: 11}}, fault.Invalid,
			"output: 11 tokens are more than the window of 10"},
		{[]Model{{Name: "m", Family: 99}}, fault.Invalid, "family"},
		{[]Model{{Name: "a/m"}, {Name: "M"}}, fault.Invalid, `model "M": name: the same as that of model "a/m"`},
		{make([]Model, maxModels+1), fault.TooLarge, "1001 models are more than the limit of 1000"},
	} {
		_, err := Builtin().With(c.models...)
		if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d models: %v, want %s: %s", len(c.models), err, c.code, c.want)
		}
	}
}

func TestRatesAreExactDecimals(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "0.0": "0", "5": "5", "5.0": "5", "0.3": "0.3", "0.30": "0.3", "18.75": "18.75", "0.0375": "0.0375",
		"0.000001": "0.000001", "1000000": "1000000",
	} {
		r, err := ParseRate(text)
		if err != nil || r.String() != want || !r.known() {
			t.Errorf("%s is read as %q, %v", text, r, err)
		}
	}
	for _, text := range []string{
		"", "-", "-1", "+1", "1e3", "1,5", "1.", ".5", "0.0000001", "1000001", "1000000.000001", "0x1", "1_000", "NaN",
		" 1", "1.-5", "99999999999999999999",
	} {
		if r, err := ParseRate(text); !fault.Is(err, fault.Invalid) || r.known() {
			t.Errorf("%q is read as %q, %v", text, r, err)
		}
	}
	if r := (Rate{}); r.known() || r.String() != "" || r.micros() != 0 {
		t.Errorf("the zero rate is %q", r)
	}
}

func FuzzParseRate(f *testing.F) {
	f.Add("0.075")
	f.Add("12.")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRate(text)
		if err != nil {
			return
		}
		if again, err := ParseRate(r.String()); err != nil || again != r {
			t.Errorf("%q is %q, which is %q, %v", text, r, again, err)
		}
	})
}

func TestFamiliesAreKnownByTheirNames(t *testing.T) {
	for i := 1; i < len(priors); i++ {
		if f, err := ParseFamily(Family(i).String()); f != Family(i) || err != nil {
			t.Errorf("family %d is read as %d, %v", i, f, err)
		}
	}
	for _, name := range []string{"", "Claude", "llama"} {
		_, err := ParseFamily(name)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "claude, claude3") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func rate(t *testing.T, text string) Rate {
	t.Helper()
	r, err := ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ExampleRegistry_With() {
	r, err := Builtin().With(Model{Name: "our-model", Family: Claude, Window: 500_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	window, _ := r.Window("our-model-2")
	fmt.Println(r.For("our-model-2").Count("don't panic"), window)
	// Output: ≈3 500000
}

func TestAWindowOfTheUsersOwnIsKnown(t *testing.T) {
	r, err := Builtin().With(Model{Name: "claude-opus-4-6", Window: 300_000}, Model{Name: "gpt-5", Output: 1000},
		Model{Name: "claude-sonnet-4-5[1m]", Window: 500_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		window int
		own    bool
	}{
		{"claude-opus-4-6", 300_000, true},
		{"anthropic/claude-opus-4.6-20260101", 300_000, true},
		{"claude-opus-4-6[1m]", 1_000_000, false}, // says another window
		{"claude-sonnet-4-5[1m]", 500_000, true},
		{"claude-sonnet-4-5", 200_000, false},
		{"gpt-5", 400_000, false}, // of which only the answers are
		{"unknown", 0, false},
	} {
		if n, _ := r.Window(c.name); n != c.window || r.OwnWindow(c.name) != c.own {
			t.Errorf("%s: %d, own %t", c.name, n, r.OwnWindow(c.name))
		}
	}
}

// TestAMinorVersionThatIsNotKnownHasNoPrice: an older one's may be another. Dates and spellings of known ones change nothing.
func TestAMinorVersionThatIsNotKnownHasNoPrice(t *testing.T) {
	r := Builtin()
	for name, want := range map[string]bool{
		"claude-opus-4-9": false, "claude-opus-4.9": false, "claude-opus-4-9-20270101": false,
		"claude-opus-4-9[1m]":        false,
		"claude-sonnet-5-6@20270101": false, "us.anthropic.claude-opus-4-9-v1:0": false,
		"claude-opus-4-0": true, "claude-opus-4-20250514": true, "claude-opus-4-8[1m]": true,
		"claude-opus-4-8-fast":                       true,
		"us.anthropic.claude-opus-4-1-20250805-v1:0": true, "gpt-5-2025-08-07": true, "claude-instant-1.2": true,
		"claude-2.1": true, "claude-2.0": true, "gpt-4-0613": true, "gemini-2.0-flash-001": true,
	} {
		if got := r.Rates(name, Terms{}).Known; got != want {
			t.Errorf("%s has a price: %t", name, got)
		}
	}
	if r.For("claude-opus-4-9").Of(1000) != r.For("claude-opus-4-7").Of(1000) {
		t.Error("a new version of Claude is not estimated as the newest ones")
	}
}

// TestTheWindowOfAModelThatNoTableHasIsAssumed: any name of a Claude was said to be known.
func TestTheWindowOfAModelThatNoTableHasIsAssumed(t *testing.T) {
	own, err := Builtin().With(Model{Name: "claude-opus-9", Window: 500_000})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"claude-opus-9": true, "claude-zephyr-1": true, "gpt-5.9-codex": true,
		"anthropic/claude-haiku-9-20270101": true,
		"claude-opus-4-6":                   false, "claude-sonnet-4-5-20250929": false, "gpt-5.1-codex": false,
		"claude-opus-9[1m]": false, "glm-4.6": false, "": false, // its name says it, or nothing is known
	} {
		if got := Builtin().Assumes(name); got != want {
			t.Errorf("%q is assumed: %v", name, got)
		}
	}
	if own.Assumes("claude-opus-9") || !own.Assumes("claude-zephyr-1") {
		t.Error("what the user says of a model is not assumed, and of others it says nothing")
	}
}
