package markup

import "strings"

// Escape returns plain text as source that is read as that very text: a name
// that is put into somebody's answer must not become a link or a picture there.
func Escape(plain string) string { return escaper.Replace(strings.Join(strings.Fields(plain), " ")) }

var escaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "&", `\&`, "#", `\#`, "://", `\://`)
