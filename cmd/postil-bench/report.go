package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// row is one figure.
type row struct {
	Scenario string  `json:"scenario"`
	What     string  `json:"what"`
	Measured string  `json:"measured"`
	Value    float64 `json:"value"`
	Goal     string  `json:"goal,omitempty"`
	Reached  *bool   `json:"reached,omitempty"`
}

// report collects the figures of a run.
type report struct {
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"`
	Go       string    `json:"go"`
	Cores    int       `json:"cores"`
	Load     string    `json:"load_before"` // of the machine, before anything was measured
	Rows     []row     `json:"figures"`
	scenario string
}

func newReport() *report {
	load, _ := os.ReadFile("/proc/loadavg") // where there is none it stays empty
	return &report{Began: time.Now(), Go: runtime.Version(), Cores: runtime.NumCPU(), Load: strings.TrimSpace(string(load))}
}

// note adds a figure without a goal.
func (r *report) note(what string, value float64, measured string) {
	r.Rows = append(r.Rows, row{Scenario: r.scenario, What: what, Measured: measured, Value: value})
}

// judge adds a figure with its goal.
func (r *report) judge(what string, value float64, measured, goal string, reached bool) {
	r.Rows = append(r.Rows, row{r.scenario, what, measured, value, goal, &reached})
}

func (r *report) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "scenario\twhat\tmeasured\tgoal\t")
	last := ""
	for _, row := range r.Rows {
		name, verdict := row.Scenario, ""
		if name == last {
			name = ""
		}
		last = row.Scenario
		if row.Reached != nil {
			verdict = map[bool]string{true: "reached", false: "MISSED"}[*row.Reached]
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", name, row.What, row.Measured, row.Goal, verdict)
	}
	tw.Flush()
	fmt.Fprintf(w, "%d cores, %s, load before %q, %.0f s\n", r.Cores, r.Go, r.Load, time.Since(r.Began).Seconds())
}

func (r *report) write(path string) error {
	r.Seconds = time.Since(r.Began).Seconds()
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
