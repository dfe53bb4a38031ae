package confedit

import (
	"strings"
	"testing"
)

// TestATableIsFoundInEveryForm: agents write their TOML anew, with other quotes, with dots or in braces. Our table is the
// same, can be given another program, and leaves without a trace.
func TestATableIsFoundInEveryForm(t *testing.T) {
	table := Table{Path: []string{"mcp_servers", "ctxledger"}, Body: "command = \"/new/ctxmcp\"\nargs = []\nenv_vars = [\"A\", \"B\"]\n"}
	for name, c := range map[string]struct{ text, left string }{
		"a head": {"a = 1\n\n[mcp_servers.ctxledger]\ncommand = '/old/ctxmcp'\nenv_vars = [\n  'A', # a\n  'B',\n]\n\n# b\n[b]\nc = 1\n",
			"a = 1\n\n\n# b\n[b]\nc = 1\n"},
		"a quoted head": {"[\"mcp_servers\".'ctxledger'] # x\r\n\"command\" = \"\"\"/old/ctxmcp\"\"\"\r\nextra = 1\r\n[b]\r\n", "[b]\r\n"},
		"with tables below": {"[mcp_servers.ctxledger]\ncommand = \"/old/ctxmcp\"\n[b]\nx = 1\n[mcp_servers.ctxledger.tools.memory]\n" +
			"approval_mode = \"approve\"\n", "[b]\nx = 1\n"},
		"in braces": {"[mcp_servers]\nctxledger = { command = \"/old/ctxmcp\", env_vars = [\"A\", \"B\"] } # x\nother = { command = \"x\" }\n",
			"[mcp_servers]\nother = { command = \"x\" }\n"},
		"in braces in braces": {"mcp_servers = { a = { command = \"x\" }, ctxledger = { command = \"/old/ctxmcp\" } }\nb = 1\n",
			"mcp_servers = { a = { command = \"x\" } }\nb = 1\n"},
		"first in braces": {"mcp_servers = {ctxledger = {command = \"/old/ctxmcp\", args = []}, a = {command = \"x\"}}\n",
			"mcp_servers = {a = {command = \"x\"}}\n"},
		"alone in braces": {"mcp_servers = { ctxledger = { command = \"/old/ctxmcp\" } }\nb = 1\n", "b = 1\n"},
		"dots":            {"mcp_servers.ctxledger.command = \"/old/ctxmcp\"\nmcp_servers.a.command = \"x\"\n", "mcp_servers.a.command = \"x\"\n"},
		"dots in a table": {"[mcp_servers]\nctxledger.command = \"/old/ctxmcp\"\nctxledger.args = []\n[b]\n", "[b]\n"},
		"a mark":          {"\ufeff[mcp_servers]\n[mcp_servers.ctxledger]\ncommand = \"/old/ctxmcp\"\n", "\ufeff"},
	} {
		if state, _, err := FindTable([]byte(c.text), table); err != nil || state != Different {
			t.Errorf("%s: %v, %v", name, state, err)
		}
		updated, err := UpdateTable([]byte(c.text), table)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		lines, returns := strings.Count(string(updated), "\n"), strings.Count(string(updated), "\r\n")
		if strings.Contains(c.text, "\r\n") && lines != returns {
			t.Errorf("%s: line ends are mixed in %q", name, updated)
		}
		for _, text := range [][]byte{[]byte(c.text), updated} {
			out, gone, err := StripTables(text, [][]string{table.Path}, true)
			if err != nil || !gone || string(out) != c.left {
				t.Errorf("%s: %q became %q, %v, %v", name, text, out, gone, err)
			}
		}
		if TableLine([]byte(c.text), table.Path) == 0 {
			t.Errorf("%s: no line", name)
		}
	}
}

// TestSeveralTablesLeaveAtOnce, wherever they are among others.
func TestSeveralTablesLeaveAtOnce(t *testing.T) {
	const text = "m = { x = {c = 1}, y = {c = 2}, a = {c = 3}, z = {c = 4}, w = {c = 5} }\n"
	out, gone, err := StripTables([]byte(text), [][]string{{"m", "x"}, {"m", "y"}, {"m", "z"}, {"m", "w"}}, true)
	if err != nil || !gone || string(out) != "m = { a = {c = 3} }\n" {
		t.Errorf("%q, %v, %v", out, gone, err)
	}
}

// TestATableLeavesWithValuesOfEveryTypeAround: what stays is compared by its values.
func TestATableLeavesWithValuesOfEveryTypeAround(t *testing.T) {
	const rest = "a = 1979-05-27T00:32:00.5-07:00\nb = 1979-05-27T07:32:00\nc = 1979-05-27\nd = 07:32:00\ne = inf\nf = nan\n" +
		"g = 0xff\nh = [[1, \"x\"], [true]]\ni = {j = []}\n[[k]]\nl = -0.0\n[[k]]\n"
	out, gone, err := StripTables([]byte(rest+"[m.n]\ncommand = \"x\"\n"), [][]string{{"m", "n"}}, true)
	if err != nil || !gone || string(out) != rest {
		t.Errorf("%q, %v, %v", out, gone, err)
	}
}

// TestADeepTableCostsNoMoreThanItsLength: a table inside many others was compared by printing it, with all their names in
// the head of each.
func TestADeepTableCostsNoMoreThanItsLength(t *testing.T) {
	text := "[mcp_servers.ctxledger]\ncommand = \"ctxmcp\"\n[" + strings.Repeat("a.", 100_000) + "a]\nb = nan\n"
	out, gone, err := StripTables([]byte(text), [][]string{{"mcp_servers", "ctxledger"}}, true)
	if err != nil || !gone || !strings.HasPrefix(string(out), "[a.a") {
		t.Errorf("%.40q, %v, %v", out, gone, err)
	}
}
