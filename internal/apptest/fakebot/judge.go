package fakebot

// Judge returns what the server would say against a sendMessage with these parameters, "" when it would send
// it. Nothing is sent; limits, faults and the state of the chat do not matter.
func (s *Server) Judge(params map[string]string) string {
	r := &request{method: "sendmessage", params: params}
	text, fault := readText(r)
	if fault == nil && units(text.text) > maxText {
		fault = badRequest("message is too long")
	}
	var buttons [][]Button
	if fault == nil {
		buttons, fault = readKeyboard(r)
	}
	if fault == nil {
		fault = checkData(buttons)
	}
	if fault == nil {
		return ""
	}
	return fault.description()
}
