package formattest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// RandomTalk is a conversation as a broken host might hand it in: parallel calls, results in any order, in
// one message or several, missing, late, twice or of calls that were never made, empty messages, unknown
// parts, images, reasoning. Large results become artifacts.
func RandomTalk(r *rand.Rand, system bool) []string {
	lines := []string{"u go"}
	if system {
		lines = slices.Insert(lines, 0, "s be terse", "s be kind")
	}
	ids := 0
	for range 4 + r.IntN(10) {
		lines = append(lines, []string{"u on", "u look img", "u odd", `u ""`, "a hm", "a odd", `a ""`, "u stop",
			"a think", "c"}[r.IntN(10)])
		words, open := []string{"a"}, []string{}
		if r.IntN(4) == 0 {
			words = append(words, "think")
		}
		if r.IntN(2) == 0 {
			words = append(words, "ok")
		}
		for range r.IntN(4) {
			ids++
			x := fmt.Sprintf("%c%d", 'x'+r.IntN(3), ids)
			words, open = append(words, "+"+x), append(open, x)
		}
		lines = append(lines, strings.Join(words, " "))
		if r.IntN(2) == 0 {
			r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		}
		for len(open) > 0 {
			n := 1 + r.IntN(len(open))
			words := []string{"t"}
			for _, x := range open[:n] {
				words = append(words, x+"="+strings.Repeat("out.", 1+r.IntN(2)*r.IntN(2)*11_000))
			}
			open = open[n:]
			switch r.IntN(10) {
			case 0:
				continue // missing
			case 1:
				words = append(words, "x9999=orphan")
			case 2:
				words = append(words, words[1])
			case 3:
				lines = append(lines, strings.Join(words, " ")) // twice
			case 4:
				lines = append(lines, "u interrupt") // late
			}
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return lines
}

// ValidTalk is a conversation that every provider takes: parallel calls, all answered at once, in any order, with words
// and images before, between and behind the results of one message, and with reasoning. n makes its words its own.
func ValidTalk(r *rand.Rand, system bool, n int) []string {
	lines := []string{fmt.Sprintf("u go-%d", n)}
	if system {
		lines = slices.Insert(lines, 0, "s be terse")
	}
	for round := range 3 + r.IntN(10) {
		words, answers := []string{"a"}, []string{}
		if r.IntN(3) == 0 {
			words = append(words, "think")
		}
		if r.IntN(2) == 0 {
			words = append(words, strings.Repeat("hm ", 1+r.IntN(200)))
		}
		for i := range r.IntN(4) {
			x := fmt.Sprintf("%c%d", 'x'+i, round)
			words = append(words, "+"+x)
			answers = append(answers, x+"="+[]string{"img", "ok", strings.Repeat("out.", 1+r.IntN(4_000))}[r.IntN(3)])
		}
		if len(answers) > 0 {
			for range r.IntN(4) {
				answers = append(answers, []string{"wait", "img", "odd", "look"}[r.IntN(4)])
			}
			r.Shuffle(len(answers), func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
			lines = append(lines, strings.Join(words, " "), "t "+strings.Join(answers, " "))
		}
		if len(answers) == 0 || r.IntN(2) == 0 {
			lines = append(lines, "a ok", []string{"u on", "u look img", "u img", "u odd more"}[r.IntN(4)])
		}
	}
	return lines
}
