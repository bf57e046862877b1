package settings

import "github.com/postil/postil/internal/postil"

// How long things are kept, and what readers are told in the operator's own
// words.
var (
	KeepSpam      = keep("spam_days", "How long comments on the spam list are kept.")
	KeepQuestions = keep("question_days", "How long questions are kept.")
	KeepNetworks  = keep("network_days", "How long the network id of a comment is kept.")
	KeepHours     = keep("hour_days", "How long the views of single hours are kept; days are kept for good.")

	KeepSignals = keep("signal_days", "How long is kept what happened: comments received, held, decided and published, failures, limits, backups.")
	KeepFigures = keep("figure_days", "How long the figures of single minutes are kept.")

	KeepAudit = declare(&Int{Info: Info{Name: "retention.audit_days", Doc: "How long the audit log is kept: who changed what.", Unit: "days"},
		Default: postil.UsualAudit, Min: 30, Max: 36500})

	LockdownText = declare(&Texts{
		Info: Info{Name: "texts.lockdown", Doc: "What readers are told while comments are paused.", PerSite: true, Shown: true}, Max: 300,
		Default: Languages{"en": "The author of this blog has paused new comments for now. Please come back later."},
	})
)

func keep(name, doc string) *Int {
	return declare(&Int{Info: Info{Name: "retention." + name, Doc: doc, Unit: "days"}, Default: 30, Min: 1, Max: 3650})
}
