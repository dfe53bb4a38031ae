package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// ordersFlag makes this program the MCP server of the sessions.
const ordersFlag = "orders"

// day names one of the days that the server knows.
func day(n int) string { return fmt.Sprintf("2026-03-%02d", n+1) }

// orderID names an order.
func orderID(n int) string { return fmt.Sprintf("order-%04d-%03d", n*37%9_000+1_000, n) }

// ordersOf returns the orders of a day, or of all days: a line for each.
func ordersOf(day string) string {
	var b strings.Builder
	for n := range everyone {
		on := fmt.Sprintf("2026-03-%02d", n%5+1)
		if day == "all" || day == on {
			fmt.Fprintf(&b, "%s %s customer %d: %d pieces of article %d, %d.%02d EUR, packed by shift %d, weight %d g\n", on, orderID(n),
				n*n%4_000, n%17+1, n*61%5_000, n*13%900, n*7%100, n%3+1, n*29%7_000)
		}
	}
	return b.String()
}

// message is a request of MCP, or a notification, which has no id.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion string
		Arguments       struct{ Day string }
	}
}

// serveOrders answers an MCP client until its input ends. It has one tool.
func serveOrders(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil || len(m.ID) == 0 {
			continue
		}
		raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": resultOf(m)})
		if err == nil {
			_, err = fmt.Fprintf(out, "%s\n", raw)
		}
		if err != nil {
			return // the client has gone
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// resultOf returns the answer to a request.
func resultOf(m message) any {
	type object = map[string]any
	switch m.Method {
	case "initialize":
		return object{"protocolVersion": m.Params.ProtocolVersion, "capabilities": object{"tools": object{}},
			"serverInfo": object{"name": "shop", "version": "1"}}
	case "tools/list":
		return object{"tools": []any{object{"name": "orders", "description": "The orders of a day (YYYY-MM-DD), or of all",
			"inputSchema": object{"type": "object", "properties": object{"day": object{"type": "string"}},
				"required": []string{"day"}}}}}
	case "tools/call":
		return object{"content": []any{object{"type": "text", "text": ordersOf(m.Params.Arguments.Day)}}}
	default:
		return object{}
	}
}
