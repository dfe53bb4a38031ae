package engine_test

import "fmt"

// working returns n messages of an agent at work: every sixteenth is a request, the others are
// calls and their results in turn.
func working(n int) [][]byte {
	out := make([][]byte, 0, n)
	for i := 0; len(out) < n; i++ {
		if i%8 == 0 {
			out = append(out, raw(`{"role":"user","content":%q}`,
				fmt.Sprintf("Request %d: make package p%d faster and run its tests.", i/8, i/8)))
			if len(out) == n {
				break
			}
		}
		out = append(out, raw(`{"role":"assistant","content":[{"type":"text","text":"Step %d."},%s]}`, i, stepCall(i)))
		if len(out) < n {
			out = append(out, raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call-%d",`+
				`"content":%q}]}`, i, fmt.Sprintf("package p%d\n\nfunc Step%d() {}\nok", i/8, i)))
		}
		if i%8 == 7 && len(out) < n {
			out = append(out, raw(`{"role":"assistant","content":"Done with %d."}`, i/8))
		}
	}
	return out
}

// stepCall returns the call of one step of working.
func stepCall(i int) string {
	args := []string{
		fmt.Sprintf(`"name":"Read","input":{"file_path":"p%d/a.go"}`, i/8),
		fmt.Sprintf(`"name":"Edit","input":{"file_path":"p%d/a.go","old_string":"slow","new_string":"fast%d"}`, i/8, i),
		fmt.Sprintf(`"name":"Bash","input":{"command":"go test ./p%d"}`, i/8),
	}
	return fmt.Sprintf(`{"type":"tool_use","id":"call-%d",%s}`, i, args[i%len(args)])
}

func raw(format string, args ...any) []byte { return fmt.Appendf(nil, format, args...) }
