package tokens

import "strconv"

// Count is a number of tokens with what is known of its error.
type Count struct {
	N     int  `json:"n"`     // tokens, the best that is known
	Exact bool `json:"exact"` // N is what the model's own tokenizer gives
	Upper int  `json:"upper"` // upper bound for budgets: N when exact
}

// String returns N with thousands separators, and ≈ before it when it is not exact: ≈12,345.
func (c Count) String() string {
	digits := strconv.Itoa(c.N)
	sign := ""
	if c.N < 0 { // a difference of two counts
		sign, digits = "-", digits[1:]
	}
	if !c.Exact {
		sign = "≈" + sign
	}
	b := []byte(sign)
	for i, d := range []byte(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, d)
	}
	return string(b)
}
