package classifier

import "strings"

// languages are told apart by their commonest words, which stand in nearly
// every sentence and in hardly any other language of the list.
var languages = languageWords(map[string]string{
	"en": "the and of is it that was for with are this you have not but what can will your from they been has would there their about which when how",
	"de": "der die und das ist nicht ich mit sie ein eine auf für auch wir den dem von zu haben kann wird hier sind aber",
	"fr": "le les des est une pour dans vous nous pas sur avec qui mais ce cette je sont tres votre merci aux",
	"es": "el los las una para por con del que es muy pero como esta este sus mas gracias nos",
	"pt": "os um uma para com nao que por mais esta muito obrigado voce seu sua isso ao dos das",
	"it": "il gli della per non che sono con una piu questo questa grazie anche del nel come",
	"nl": "het een van niet dat ook voor zijn met maar aan wij naar bij deze wordt",
	"pl": "nie jest na sie ze dla jak czy ale przez jestes nasza nasz tak oraz twoj moze ktora",
	"cs": "je na se ze pro jak ale jsem jsme tak nebo bude ktery tento",
	"sv": "och att det som inte jag med har till den ett om kan vara eller",
	"tr": "ve bir bu icin ile cok daha gibi olan var ne degil sonra",
	"id": "yang dan untuk dengan ini dari tidak anda pada adalah juga bisa akan dalam saya",
	"vi": "va la cua cho khong nhung mot voi trong duoc nguoi nay cac",
	"ro": "si este pentru cu sau mai care din sunt dar",
	"ru": "и в не на что я с как это по но из у за от так же для вы мы или если бы есть только",
	"uk": "і й та що не на з як це але від для ви ми або якщо є до",
})

func languageWords(lists map[string]string) map[string][]string {
	all := map[string][]string{}
	for language, words := range lists {
		for w := range strings.FieldsSeq(words) {
			all[w] = append(all[w], language)
		}
	}
	return all
}

// languageOf names the language of a text, "" when that is not clear.
func languageOf(words []string) string {
	votes := map[string]float64{}
	for _, w := range words {
		for _, l := range languages[w] {
			votes[l] += 1 / float64(len(languages[w]))
		}
	}
	best, second := "", 0.0
	for l, n := range votes {
		if b := votes[best]; n > b || n == b && l < best {
			best, second = l, max(second, b)
		} else {
			second = max(second, n)
		}
	}
	if votes[best] < 2 || votes[best] < 1.3*second {
		return ""
	}
	return best
}
