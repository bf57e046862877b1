package token

import (
	"crypto/sha256"
	"math/bits"
	"regexp"
	"strings"
)

// MaxWork is the most work that a challenge asks for: about a million hashes,
// some seconds on an old phone.
const MaxWork = 20

// What CheckWork says of a solution.
const (
	WorkNone    = ""        // nothing was asked for
	WorkOK      = "ok"      // solved
	WorkMissing = "missing" // asked for and not done
	WorkWrong   = "wrong"   // no solution, or one of another challenge
)

// Work returns how many bits of work a form token asks for, 0 for none. It
// believes the token: ReadForm says whether it is ours.
func Work(token string) int {
	text, _, _ := strings.Cut(token, ".")
	body, ok := decode(text)
	if !ok || len(body) != formBody+1 {
		return 0
	}
	return min(int(body[formBody]), MaxWork)
}

// Challenge returns the text that must be worked on before a form with this
// token is sent by this client (see Bucket). A solution is a decimal number for
// which the SHA-256 of the challenge, a colon and the number begins with as
// many zero bits as Work says. Site, post, time and work are in the token, which
// is signed, and the token is good once: so is the challenge.
func (k *Keys) Challenge(token, bucket string) string { return k.mac(forWork, token, bucket) }

var solutionPattern = regexp.MustCompile(`^[0-9]{1,20}$`)

// CheckWork says whether a solution is one of the challenge of a token and a
// client.
func (k *Keys) CheckWork(token, bucket, solution string) string {
	work := Work(token)
	switch {
	case work == 0:
		return WorkNone
	case solution == "":
		return WorkMissing
	case !solutionPattern.MatchString(solution) || !Solves(k.Challenge(token, bucket), solution, work):
		return WorkWrong
	}
	return WorkOK
}

// Solves reports whether the SHA-256 of challenge, a colon and solution begins
// with so many zero bits.
func Solves(challenge, solution string, work int) bool {
	sum := sha256.Sum256([]byte(challenge + ":" + solution))
	zeros := 0
	for _, b := range sum {
		zeros += bits.LeadingZeros8(b)
		if b != 0 {
			break
		}
	}
	return zeros >= work
}
