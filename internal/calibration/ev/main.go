package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"

	"ctxledger.dev/engine"
	"ctxledger.dev/tokens"
)

type pair struct {
	Repo, Session, Why string
	O                  engine.Measurement
}

func main() {
	f, _ := os.Open(os.Args[1])
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	all := map[string]map[string][]pair{} // split+repo → model
	for sc.Scan() {
		var p pair
		json.Unmarshal(sc.Bytes(), &p)
		if p.Why != "" {
			continue
		}
		k := "test "
		if strings.HasPrefix(p.Repo, "entireio") || strings.HasPrefix(p.Repo, "Wood") || strings.HasPrefix(p.Repo, "FSM") || strings.HasPrefix(p.Repo, "cody") {
			k = "train "
		}
		if all[k+p.Repo] == nil {
			all[k+p.Repo] = map[string][]pair{}
		}
		all[k+p.Repo][p.O.Model] = append(all[k+p.Repo][p.O.Model], p)
	}
	sum := map[string]*stat{}
	get := func(k string) *stat {
		if sum[k] == nil {
			sum[k] = &stat{}
		}
		return sum[k]
	}
	for _, r := range keys(all) {
		for _, m := range keys(all[r]) {
			e := tokens.NewEstimator(m)
			var cur map[string][2]float64 = map[string][2]float64{}
			var st stat
			for _, p := range all[r][m] {
				if p.O.Features[0] < 20 {
					continue
				}
				c := e.Estimate(p.O.Features)
				y := float64(p.O.After - p.O.Before)
				n := e.Learned()
				for _, s := range []*stat{&st, get(r[:5] + " " + m), get(r[:5] + " ALL")} {
					s.add(float64(c.N), float64(c.Upper), y, float64(p.O.Before), n)
				}
				v := cur[p.Session]
				cur[p.Session] = [2]float64{v[0] + float64(c.N), v[1] + y}
				e.Learn(p.O.Features, p.O.After-p.O.Before)
			}
			for _, v := range cur {
				for _, s := range []*stat{&st, get(r[:5] + " " + m), get(r[:5] + " ALL")} {
					s.sess = append(s.sess, math.Abs(v[0]/v[1]-1))
				}
			}
			if len(st.err) > 30 {
				fmt.Println(st.line(r+" "+m))
			}
		}
	}
	fmt.Println()
	for _, k := range keys(sum) {
		fmt.Println(sum[k].line(k))
	}
}

type stat struct {
	err, big, tot, sess, late []float64
	cov, covLate, nLate       int
}

func (s *stat) add(est, up, y, before float64, n int64) {
	e := math.Abs(est-y) / y
	s.err = append(s.err, e)
	if y >= 500 {
		s.big = append(s.big, e)
	}
	s.tot = append(s.tot, math.Abs(est-y)/(before+y))
	if y <= up {
		s.cov++
	}
	if n >= 50 {
		s.late = append(s.late, e)
		s.nLate++
		if y <= up {
			s.covLate++
		}
	}
}
func q(v []float64, p float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	w := append([]float64(nil), v...)
	sort.Float64s(w)
	return 100 * w[min(len(w)-1, int(p*float64(len(w))))]
}
func (s *stat) line(k string) string {
	return fmt.Sprintf("%-62s n=%5d Δ med %5.2f p90 %5.1f | ≥500 n=%4d med %5.2f p90 %5.1f | after50 n=%4d med %5.2f cov %5.1f | cov %5.1f | total med %.3f p95 %.2f | sessions %3d med %.2f", k, len(s.err), q(s.err, .5), q(s.err, .9), len(s.big), q(s.big, .5), q(s.big, .9), s.nLate, q(s.late, .5), 100*float64(s.covLate)/float64(s.nLate), 100*float64(s.cov)/float64(len(s.err)), q(s.tot, .5), q(s.tot, .95), len(s.sess), q(s.sess, .5))
}
func keys[V any](m map[string]V) (k []string) {
	for x := range m {
		k = append(k, x)
	}
	sort.Strings(k)
	return
}
