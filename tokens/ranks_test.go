package tokens

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

// bytesAnd returns the 256 bytes and then the tokens, which is a whole vocabulary.
func bytesAnd(tokens ...string) []string {
	var all []string
	for b := range 256 {
		all = append(all, string([]byte{byte(b)}))
	}
	return append(all, tokens...)
}

// tiktokenLines writes tokens as a .tiktoken file.
func tiktokenLines(tokens []string) []byte {
	var file []byte
	for id, token := range tokens {
		file = fmt.Appendf(file, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), id)
	}
	return file
}

// tokenizerFile writes a tokenizer.json of the family's rules.
func tokenizerFile(f Family, tokens []string, merges [][2]string, change func(file map[string]any)) []byte {
	vocab := make(map[string]int)
	for id, token := range tokens {
		vocab[toByteLevel(token)] = id
	}
	lines := []any{}
	for _, m := range merges {
		if len(tokens)%2 == 0 {
			lines = append(lines, toByteLevel(m[0])+" "+toByteLevel(m[1]))
		} else {
			lines = append(lines, []string{toByteLevel(m[0]), toByteLevel(m[1])})
		}
	}
	steps := []any{}
	for _, p := range ranked[f].patterns {
		steps = append(steps, map[string]any{"type": "Split", "pattern": map[string]any{"Regex": p},
			"behavior": "Isolated", "invert": false})
	}
	steps = append(steps, map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})
	file := map[string]any{
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": steps},
		"model":         map[string]any{"type": "BPE", "vocab": vocab, "merges": lines},
	}
	if ranked[f].nfc {
		file["normalizer"] = map[string]any{"type": "NFC"}
	}
	if change != nil {
		change(file)
	}
	data, err := json.Marshal(file)
	if err != nil {
		panic(err)
	}
	return data
}

// toByteLevel is the inverse of fromByteLevel.
func toByteLevel(token string) string {
	var b strings.Builder
	for i := range len(token) {
		for r := rune(0); ; r++ {
			if c, ok := byteOf(r); ok && c == token[i] {
				b.WriteRune(r)
				break
			}
		}
	}
	return b.String()
}

func TestByteLevelCharactersStandForAllBytes(t *testing.T) {
	seen := make(map[byte]rune)
	for r := range rune(0x1000) {
		if b, ok := byteOf(r); ok {
			if other, twice := seen[b]; twice {
				t.Errorf("byte %#x is U+%04X and U+%04X", b, other, r)
			}
			seen[b] = r
		}
	}
	if len(seen) != 256 || seen[' '] != 'Ġ' || seen['\n'] != 'Ċ' || seen['a'] != 'a' || seen[0xAD] != 'Ń' {
		t.Errorf("%d bytes: %q", len(seen), seen)
	}
}

// randomTokens returns different strings over few letters, as no training would make them: some are
// made of later ones, some of nothing.
func randomTokens(rng *rand.Rand) []string {
	var tokens []string
	letters := "abc"[:2+rng.IntN(2)]
	for range 3 + rng.IntN(30) {
		token := make([]byte, 2+rng.IntN(6))
		for i := range token {
			token[i] = letters[rng.IntN(len(letters))]
		}
		if !slices.Contains(tokens, string(token)) {
			tokens = append(tokens, string(token))
		}
	}
	return tokens
}

// The definition merges whatever makes a token, in the order of ranks, with every vocabulary.
func TestRandomVocabulariesMergeByTheBook(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	late := 0
	for range 150 {
		tokens := bytesAnd(randomTokens(rng)...)
		e, err := ParseRanks(Llama3, tiktokenLines(tokens))
		if err != nil {
			t.Fatal(err)
		}
		late += len(e.tokenizer().vocabulary.late(tokens))
		book := naive{make(map[string]uint32), e.tokenizer().scan}
		for id, token := range tokens {
			book.ranks[token] = uint32(id)
		}
		for i := range 20 {
			text := randomText(rng, 1+i*i, []string{"a", "b", "c", "ab", "ba"}) // one piece
			want := book.encode(text)
			if id, ok := book.ranks[text]; ok {
				want = []uint32{id}
			}
			if got := e.Encode(nil, []byte(text)); !slices.Equal(got, want) {
				t.Fatalf("with tokens %q, %q encodes to %v, by the book %v", tokens[256:], text, got, want)
			}
			if got := e.CountString(text); got != len(want) {
				t.Fatalf("with tokens %q, %q counts %d, by the book %d", tokens[256:], text, got, len(want))
			}
		}
	}
	if late < 20 {
		t.Errorf("only %d tokens were made of later ones", late)
	}
}

func TestIdsAreThoseOfTheFile(t *testing.T) {
	special := append([]string{"\xFFspecial"}, bytesAnd("ab", "abab", "cab")...)
	vocab := tokenizerFile(Llama3, special, [][2]string{{"a", "b"}, {"ab", "ab"}, {"c", "ab"}}, nil)
	gaps := tiktokenLines(bytesAnd("ab"))
	gaps = append(gaps, base64.StdEncoding.EncodeToString([]byte("abab"))+" 300\n"...)
	for _, c := range []struct {
		file []byte
		text string
		want []uint32
	}{
		{vocab, "ababab", []uint32{258, 257}},
		{vocab, "cab!", []uint32{259, 1 + '!'}},
		{gaps, "ababab", []uint32{300, 256}},
	} {
		e, err := ParseRanks(Llama3, c.file)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Encode([]uint32{7}, []byte(c.text)); !slices.Equal(got[1:], c.want) || got[0] != 7 {
			t.Errorf("%q encodes to %v, want %v", c.text, got, c.want)
		}
		if got := e.CountString(c.text); got != len(c.want) {
			t.Errorf("%q counts %d", c.text, got)
		}
		if !strings.HasPrefix(e.String(), "llama3@sha256:") || len(e.String()) != len("llama3@sha256:")+64 {
			t.Errorf("the encoding is named %s", e)
		}
	}
}

// A token that no merge makes is one only where it is a whole piece, and only if the file says so.
func TestTokensThatNoMergeMakes(t *testing.T) {
	tokens := bytesAnd("xyz")
	for ignore, want := range map[bool]int{true: 1, false: 3} {
		file := tokenizerFile(Llama3, tokens, nil, func(f map[string]any) {
			f["model"].(map[string]any)["ignore_merges"] = ignore
		})
		e, err := ParseRanks(Llama3, file)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.CountString("xyz"); got != want {
			t.Errorf("ignore_merges %v: %d tokens, want %d", ignore, got, want)
		}
		if got := e.CountString("xyzx"); got != 4 {
			t.Errorf("inside a piece: %d tokens", got)
		}
	}
}

func TestBadRankFilesAreRefused(t *testing.T) {
	const secret = "c2VjcmV0" // "secret"
	good := tiktokenLines(bytesAnd("ab", "abab"))
	tokens := bytesAnd("ab", "abab")
	merges := [][2]string{{"a", "b"}, {"ab", "ab"}}
	change := func(change func(model, file map[string]any)) []byte {
		return tokenizerFile(Qwen2, tokens, merges, func(f map[string]any) { change(f["model"].(map[string]any), f) })
	}
	for _, c := range []struct {
		name string
		file []byte
		code fault.Code
		want string
	}{
		{"empty", nil, fault.Corrupt, "the byte 0x00 has no token"},
		{"binary", []byte("\x0a\x0e\x00\x12\x34"), fault.Invalid, "neither a list of ranks nor a tokenizer.json"},
		{"prose", []byte("# " + secret + "\n"), fault.Invalid, "neither"},
		{"a damaged line", slices.Concat(good, []byte(secret+"!\n")), fault.Corrupt, "line 259 is not"},
		{"base64 with other bits at its end", slices.Concat(good, []byte("YWF= 300\n")), fault.Corrupt, "line 259"},
		{"a rank that is none", slices.Concat(good, []byte(secret+" -1\n")), fault.Corrupt, "line 259"},
		{"an empty line inside", slices.Concat(good, []byte("\n"), []byte(secret+" 900\n")), fault.Corrupt, "line 259"},
		{"an empty token", slices.Concat(good, []byte(" 900\n")), fault.Corrupt, "line 259"},
		{"a rank twice", slices.Concat(good, []byte(secret+" 257\n")), fault.Corrupt, "line 259: ranks do not ascend"},
		{"a token twice", slices.Concat(good, []byte("YWI= 900\n")), fault.Corrupt, "token 900 is there twice"},
		{"a byte twice", slices.Concat(good, []byte("YQ== 900\n")), fault.Corrupt, "the byte 0x61 has two tokens"},
		{"cut off", good[:len(good)/2], fault.Corrupt, "line"},
		{"cut off after a line", good[:bytes.LastIndex(good[:1000], []byte("\n"))+1], fault.Corrupt,
			"has no token: the file is cut off"},
		{"a long token", tiktokenLines(bytesAnd(strings.Repeat("a", 256))), fault.TooLarge, "token 256 has 256 bytes"},
		{"too large", make([]byte, MaxRanks+1), fault.TooLarge, "67108865 bytes are more than the limit of 67108864"},
		{"json cut off", change(func(_, _ map[string]any) {})[:500], fault.Corrupt, "no tokenizer.json"},
		{"another json", []byte(`{"name": "` + secret + `"}`), fault.Invalid, "not byte-level byte-pair encoding"},
		{"another model", change(func(m, _ map[string]any) { m["type"] = "WordPiece" }), fault.Invalid,
			"not byte-level"},
		{"byte fallback", change(func(m, _ map[string]any) { m["byte_fallback"] = true }), fault.Invalid,
			"not byte-level"},
		{"ids that are none", change(func(m, _ map[string]any) { m["vocab"] = map[string]any{secret: -1} }),
			fault.Corrupt, "no tokenizer.json"},
		{"a merge of three", change(func(m, _ map[string]any) { m["merges"] = []any{[]string{secret, "b", "c"}} }),
			fault.Corrupt, "not a list of pairs"},
		{"a merge of one", change(func(m, _ map[string]any) { m["merges"] = []any{secret} }), fault.Corrupt,
			"not a list of pairs"},
		{"a merge of strangers", change(func(m, _ map[string]any) { m["merges"] = []any{secret + " b"} }),
			fault.Corrupt, "merge 0 makes a token that is not in the vocabulary"},
		{"a merge out of its row", change(func(m, _ map[string]any) { m["merges"] = []any{"a b", "ab ab", "a b"} }),
			fault.Invalid, "merge 2 makes a token that others before it make"},
		{"no normalization", change(func(_, f map[string]any) { delete(f, "normalizer") }), fault.Invalid,
			"it normalizes text by other rules"},
		{"another normalization",
			change(func(_, f map[string]any) { f["normalizer"] = map[string]any{"type": "NFKC"} }), fault.Invalid,
			"it normalizes text by other rules"},
		{"another family's rules",
			tokenizerFile(Llama3, tokens, merges,
				func(f map[string]any) { f["normalizer"] = map[string]any{"type": "NFC"} }),
			fault.Invalid, "it cuts text by other rules"},
		{"no rules", change(func(_, f map[string]any) { delete(f, "pre_tokenizer") }), fault.Invalid,
			"it cuts text by other rules"},
	} {
		_, err := ParseRanks(Qwen2, c.file)
		if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v (%s), want %s: %s", c.name, err, fault.CodeOf(err), c.code, c.want)
		}
		text := fmt.Sprint(err, fault.HintOf(err))
		if strings.Contains(text, secret) || strings.Contains(text, "secret") {
			t.Errorf("%s: the error quotes the file: %v", c.name, text)
		}
	}
	_, err := ParseRanks(Claude, good)
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "deepseek3, llama3, qwen2") {
		t.Errorf("a family without rules: %v", err)
	}
}

func TestMoreTokensThanFitAreRefused(t *testing.T) {
	tokens := bytesAnd()
	for i := range noID {
		tokens = append(tokens, fmt.Sprintf("%06x", i))
	}
	_, err := ParseRanks(Llama3, tiktokenLines(tokens))
	if !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "262143") {
		t.Errorf("as lines: %v", err)
	}
	vocab := make(map[string]uint32)
	for id, token := range tokens {
		vocab[toByteLevel(token)] = uint32(id)
	}
	file := tokenizerFile(Llama3, nil, nil, func(f map[string]any) { f["model"].(map[string]any)["vocab"] = vocab })
	if _, err := ParseRanks(Llama3, file); !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "262143") {
		t.Errorf("as JSON: %v", err)
	}
}

// checkRanks parses a file: it is refused for what is wrong with it, or gives an encoding that
// loses nothing of any text.
func checkRanks(t *testing.T, f Family, file, text []byte) {
	e, err := ParseRanks(f, file)
	if err != nil {
		if code := fault.CodeOf(err); code != fault.Invalid && code != fault.Corrupt && code != fault.TooLarge {
			t.Fatalf("code %s: %v", code, err)
		}
		return
	}
	read := parseTiktoken
	if isJSON(file) {
		read = ranked[f].parseTokenizerJSON
	}
	list, err := read(file)
	if err != nil {
		t.Fatalf("the second reading fails: %v", err)
	}
	spelled := make(map[uint32]string)
	for i, id := range list.ids {
		spelled[id] = list.tokens[i]
	}
	ids := e.Encode(nil, text)
	var decoded []byte
	for _, id := range ids {
		decoded = append(decoded, spelled[id]...)
	}
	want := appendValid(nil, e.tokenizer().normal(text))
	if !bytes.Equal(decoded, want) && len(spelled) == len(list.ids) {
		t.Fatalf("%+q decodes to %+q", want, decoded)
	}
	if n := e.Count(text); n != len(ids) {
		t.Fatalf("%+q counts %d, encodes to %d", text, n, len(ids))
	}
}

// anyFamily chooses a family by a text.
func anyFamily(text []byte) Family {
	families := slices.Sorted(maps.Keys(ranked))
	return families[len(text)%len(families)]
}

func FuzzTiktokenRanks(f *testing.F) {
	good := tiktokenLines(bytesAnd("ab", "abab", "e\xCC\x81"))
	f.Add(good, []byte("ababe\u0301 \xFF12"))
	f.Add(good[:100], []byte(""))
	f.Add(bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")), []byte(strings.Repeat("ab", 100)))
	f.Add([]byte("YQ== 1 2\n"), []byte("x"))
	f.Fuzz(func(t *testing.T, file, text []byte) { checkRanks(t, anyFamily(text), file, text) })
}

func FuzzTokenizerJSON(f *testing.F) {
	tokens, merges := bytesAnd("ab", "abab"), [][2]string{{"a", "b"}, {"ab", "ab"}}
	for family := range ranked {
		text := "abab e\u0301 \xFF12"
		for anyFamily([]byte(text)) != family {
			text += "."
		}
		f.Add(tokenizerFile(family, tokens, merges, nil), []byte(text))
	}
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a a"]}}`), []byte("a"))
	f.Add([]byte(` {"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Sequence"}]}}`), []byte("a"))
	f.Fuzz(func(t *testing.T, file, text []byte) { checkRanks(t, anyFamily(text), file, text) })
}

// The pieces of families whose rules are their own. Expected are those of the references.
func TestPiecesOfOtherFamilies(t *testing.T) {
	for _, c := range []struct {
		family Family
		pieces string
	}{
		{Llama3, "don¦'t¦ ¦123¦45"},
		{Qwen2, "don¦'t¦ ¦1¦2¦3"},
		{Qwen2, "\u0661¦\u0662¦x"},
		{DeepSeek3, "don¦'t¦ ¦123¦45"},
		{DeepSeek3, "x¦.foo¦(bar¦)¦ ==¦ y"},
		{DeepSeek3, "中文¦abc¦ ¦かな¦゠¦カ¦。\n¦中"},
		{DeepSeek3, "a¦  ¦1¦  ¦ b"},
		{DeepSeek3, "a¦\x00\x01¦\x02b¦\x03¦1"},
		{DeepSeek3, ".¦é"},
		{DeepSeek3, "e\u0301¦.abc¦é"},
		{DeepSeek3, "}¦\u200B¦\n\n¦  ¦中"},
	} {
		if got := splitWith(ranked[c.family].scan(classes()), strings.ReplaceAll(c.pieces, "¦", "")); got != c.pieces {
			t.Errorf("%s: pieces %+q, want %+q", c.family, got, c.pieces)
		}
	}
}
