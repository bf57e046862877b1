package token

import (
	"strconv"
	"testing"
)

// solve looks for a solution as a client does.
func solve(challenge string, bits int) string {
	for n := 0; ; n++ {
		if s := strconv.Itoa(n); Solves(challenge, s, bits) {
			return s
		}
	}
}

func TestASolutionIsGoodForItsTokenAndItsClient(t *testing.T) {
	t.Parallel()
	const bits = 8
	tok, _ := keys.FormToken("blog", "/", bits, noon)
	second, _ := keys.FormToken("blog", "/", bits, noon)
	easy, _ := keys.FormToken("blog", "/", 0, noon)
	if Work(tok) != bits || Work(easy) != 0 || Work("nothing") != 0 {
		t.Fatalf("the tokens ask for %d, %d and %d bits", Work(tok), Work(easy), Work("nothing"))
	}
	if state, _, _ := keys.ReadForm(tok, "blog", "/", noon); state != FormOK {
		t.Fatalf("a token that asks for work is %s", state)
	}
	solution := solve(keys.Challenge(tok, "ann"), bits)
	unsolved := 0
	for Solves(keys.Challenge(tok, "ann"), strconv.Itoa(unsolved), bits) {
		unsolved++
	}
	for _, c := range []struct{ name, token, bucket, solution, want string }{
		{"nothing asked, nothing given", easy, "ann", "", WorkNone},
		{"nothing asked, something given", easy, "ann", "17", WorkNone},
		{"solved", tok, "ann", solution, WorkOK},
		{"missing", tok, "ann", "", WorkMissing},
		{"wrong", tok, "ann", strconv.Itoa(unsolved), WorkWrong},
		{"no number", tok, "ann", solution + " ", WorkWrong},
		{"signed", tok, "ann", "+" + solution, WorkWrong},
		{"much too long", tok, "ann", "000000000000000000000" + solution, WorkWrong},
	} {
		if got := keys.CheckWork(c.token, c.bucket, c.solution); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, other := range []string{keys.Challenge(second, "ann"), keys.Challenge(tok, "bob")} {
		if other == keys.Challenge(tok, "ann") {
			t.Error("another token or client has the same challenge")
		}
	}
}

func TestTheWorkInATokenCannotBeChangedAndHasABound(t *testing.T) {
	t.Parallel()
	tok, _ := keys.FormToken("blog", "/", 17, noon)
	easy, _ := keys.FormToken("blog", "/", 0, noon)
	for i := range len(tok) {
		changed := tok[:i] + "A" + tok[i+1:]
		if changed == tok {
			continue
		}
		if state, _, _ := keys.ReadForm(changed, "blog", "/", noon); state != FormForeign {
			t.Fatalf("character %d can be changed: %s", i, state)
		}
	}
	if most, _ := keys.FormToken("blog", "/", 64, noon); Work(most) != MaxWork {
		t.Errorf("a token asks for %d bits", Work(most))
	}
	if len(easy) >= len(tok) {
		t.Error("a token without work is as long as one with it")
	}
}

func TestZeroBitsAreCountedFromTheFirstBit(t *testing.T) {
	t.Parallel()
	found := false
	for n := range 5000 {
		s := strconv.Itoa(n)
		if Solves("postil", s, 9) {
			found = true
			if !Solves("postil", s, 8) || !Solves("postil", s, 0) {
				t.Errorf("%s solves nine bits and not eight", s)
			}
		}
	}
	if !found || Solves("postil", "0", 256) {
		t.Errorf("found %t", found)
	}
}
