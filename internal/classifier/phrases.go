package classifier

import "strings"

// phrases is what a comment about nothing is made of: it speaks of the site,
// praises it in general words, asks readers to go somewhere, names prices. The
// words are everyday ones, most of them English; a site in another language
// loses nothing but these four signals.
type phrases struct {
	site, praise, calls, own, offer, trouble int
}

type wordClass uint16

const (
	wPointer wordClass = 1 << iota // points at the site: your, this
	wSite                          // a word for the site or its texts
	wKind                          // general praise
	wWork                          // what is praised
	wThanks                        // thanks
	wGo                            // go there, buy: a call by itself
	wGoTo                          // a call with what follows
	wGoal                          // what a call goes to
	wMine                          // my, our
	wOffer                         // prices and money
	wOwned                         // what somebody has to show: a channel, a shop
	wTrouble                       // something that failed
	wNot                           // does not, did not
	wWorking                       // what did not work
)

var wordClasses = classes(map[wordClass]string{
	wPointer: "this your ur the",
	wSite:    "site sites website web webpage weblog blog blogs page post posts article articles content contents information info",
	wKind:    "nice great good awesome amazing excellent wonderful useful helpful informative interesting fantastic impressive beautiful brilliant valuable superb lovely knowledgeable",
	wWork:    "post posts article articles blog site information info content work job read piece share sharing stuff website tips",
	wThanks:  "thanks thank thx",
	wGo:      "subscribe buy whatsapp",
	wGoTo:    "check visit click follow contact call text mail email reach write join order",
	wGoal:    "out here our my me us now via him her them",
	wMine:    "my our",
	wOffer:   "cheap discount discounts guarantee guaranteed earn income profit loan loans price prices sale deal deals services usd eur dollars",
	wOwned:   "channel channels site website web page homepage blog weblog video videos shop store instagram",
	wTrouble: "error errors bug bugs fails failed failing crash crashes crashed broken exception typo typos workaround issue stuck",
	wNot:     "not doesn don didn isn won can cannot couldn",
	wWorking: "work works working load",
})

// stems are beginnings of Russian words, the commonest other language of spam.
var stems = []struct {
	stem  string
	class wordClass
}{
	{"подпис", wGo}, {"подпиш", wGo}, {"переход", wGo}, {"переид", wGo}, {"пишите", wGo}, {"звоните", wGo}, {"заходи", wGo}, {"жми", wGo},
	{"скидк", wOffer}, {"заработ", wOffer}, {"доход", wOffer}, {"бесплатн", wOffer}, {"гаранти", wOffer}, {"прибыл", wOffer}, {"заказ", wOffer},
	{"ошибк", wTrouble}, {"глючит", wTrouble},
}

func classes(lists map[wordClass]string) map[string]wordClass {
	all := map[string]wordClass{}
	for class, words := range lists {
		for w := range strings.FieldsSeq(words) {
			all[w] |= class
		}
	}
	return all
}

func classOf(w string) wordClass {
	if w[0] < 0x80 {
		return wordClasses[w]
	}
	if w[0] == 0xD0 || w[0] == 0xD1 { // Cyrillic
		for _, s := range stems {
			if strings.HasPrefix(w, s.stem) {
				return s.class
			}
		}
	}
	return 0
}

func phrasesOf(words []string) (p phrases) {
	var last, before wordClass // of the last two words
	for _, w := range words {
		c := classOf(w)
		if c&wSite != 0 && (last|before)&wPointer != 0 {
			p.site++
		}
		if c&wWork != 0 && (last|before)&wKind != 0 || w == "for" && (last|before)&wThanks != 0 || w == "sharing" {
			p.praise++
		}
		if c&wGo != 0 || c&wGoal != 0 && last&wGoTo != 0 {
			p.calls++
		}
		if c&wOwned != 0 && (last|before)&wMine != 0 {
			p.own++
		}
		if c&wTrouble != 0 || c&wWorking != 0 && (last|before)&wNot != 0 {
			p.trouble++
		}
		if c&wOffer != 0 {
			p.offer++
		}
		before, last = last, c
	}
	return p
}

// priced finds sums of money and shares of a hundred.
func priced(s string) bool {
	for i, r := range s {
		switch r {
		case '$', '€', '£', '₽', '₹':
			rest := strings.TrimLeft(s[i+len(string(r)):], " ")
			if rest != "" && rest[0] >= '0' && rest[0] <= '9' || i > 0 && digitBefore(s[:i]) {
				return true
			}
		case '%':
			if i > 0 && s[i-1] >= '0' && s[i-1] <= '9' && (i+1 == len(s) || !alnum(s[i+1])) {
				return true
			}
		}
	}
	return false
}

func digitBefore(s string) bool {
	s = strings.TrimRight(s, " ")
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}
