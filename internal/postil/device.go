package postil

import "regexp"

var devicePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

// CheckDevice checks a device key, the random string by which a browser that
// posted before is known. It is optional: "" is fine. Errors are Invalid with
// the field "device".
func CheckDevice(s string) error {
	if s == "" || devicePattern.MatchString(s) {
		return nil
	}
	return InvalidField("device", "A device key has 16 to 128 of A–Z, a–z, 0–9, “-” and “_”. Leave it out if there is none.")
}
