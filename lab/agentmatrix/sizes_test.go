package agentmatrix

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// document has the table of sizes, between two marks.
const document = "../../docs/maintainers/answers.md"

var between = regexp.MustCompile(`(?s)(<!-- sizes -->\n).*(<!-- end of sizes -->)`)

// structured marks the column of a host with --structured.
const structured = " structured"

// table has the tokens of an answer, by call and host.
type table map[string]map[string]int

func (s table) add(call, host string, n int) {
	if s[call] == nil {
		s[call] = map[string]int{}
	}
	s[call][host] = n
}

// String is the table as in the document: text, and what a server with --structured makes of it.
func (s table) String() string {
	var b strings.Builder
	b.WriteString("| call |")
	for _, h := range hosts {
		fmt.Fprintf(&b, " %s |", h.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(hosts)) + "\n")
	sum := map[string]int{}
	for _, c := range calls {
		fmt.Fprintf(&b, "| %s: `%s` |", c.what, c.tool)
		for _, h := range hosts {
			fmt.Fprintf(&b, " %d → %d |", s[c.what][h.name+structured], s[c.what][h.name])
			sum[h.name] += s[c.what][h.name]
			sum[h.name+structured] += s[c.what][h.name+structured]
		}
		b.WriteString("\n")
	}
	b.WriteString("| all |")
	for _, h := range hosts {
		fmt.Fprintf(&b, " %d → %d (%.2f×) |", sum[h.name+structured], sum[h.name],
			float64(sum[h.name+structured])/float64(max(1, sum[h.name])))
	}
	return b.String() + "\n"
}

// compare compares the sizes with the document's, or writes them. Ids and times have not always as many tokens.
func (s table) compare(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		out := between.ReplaceAll(raw, []byte("${1}"+s.String()+"${2}"))
		if err := os.WriteFile(document, out, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, c := range calls {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(c.what) + ": .*$").FindString(string(raw))
		cells := regexp.MustCompile(`→ (\d+)`).FindAllStringSubmatch(row, -1)
		if len(cells) != len(hosts) {
			t.Errorf("%s has no row %q with %d sizes", document, c.what, len(hosts))
			continue
		}
		for i, h := range hosts {
			got, ran := s[c.what][h.name]
			want, _ := strconv.Atoi(cells[i][1])
			may := 8 + want/10
			if h.own && c.own != "" {
				may += 30 // about its own session, of which more or less is written by then
			}
			if off := max(got-want, want-got); ran && off > may {
				t.Errorf("%s in %s: %d tokens, %d in %s", c.what, h.name, got, want, document)
			}
		}
	}
}
