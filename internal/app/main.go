package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"

	"github.com/postil/postil/internal/postil"
)

// Process is what the operating system gives a program.
type Process struct {
	Args   []string
	Getenv func(string) (string, bool)
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Exit codes.
const (
	exitFine    = 0
	exitFailed  = 1
	exitMisused = 2
)

// commands is the command line. Every command accepts every setting.
type commands struct {
	Config `embed:""`
	File   string `name:"config" placeholder:"FILE" help:"A YAML file with settings by the names of these flags."`
	Server string `placeholder:"URL" help:"Send commands to this server instead of the one on this machine."`
	Key    string `placeholder:"KEY" help:"The admin key for --server."`

	Serve struct {
		Demo bool `help:"Add a demo site, a demo blog at /demo/ and a reviewer in this terminal."`
	} `cmd:"" help:"Run everything on this machine: API, worker, moderation desk, queue and store."`
	Site      siteCommands      `cmd:"" help:"Add, list, show, change and remove sites."`
	Keys      keyCommands       `cmd:"" name:"key" help:"Create, list and revoke keys for the REST API."`
	Moderator moderatorCommands `cmd:"" help:"Link, list and revoke Telegram moderators."`
	Backup    backupCommands    `cmd:"" help:"Make a verified backup, also while the server runs, or verify one."`
	Restore   struct {
		File string `arg:"" help:"A file that “postil backup” or a night made."`
	} `cmd:"" help:"Put a backup in the place of the database; the server must be stopped."`
	Export exportCommand `cmd:"" help:"Print a site, or all that is stored about a person."`
	Erase  eraseCommand  `cmd:"" help:"Take a person out of everything that is stored."`
	Doctor struct {
		Page string `placeholder:"URL" help:"A page of a blog with the widget on it, to be looked at too."`
		JSON bool   `name:"json" help:"Print the findings for a program."`
	} `cmd:"" help:"Look for everything an operator can get wrong, and say what to change."`
	Ready   struct{} `cmd:"" help:"Say whether the server on this data directory accepts comments; for health checks."`
	Migrate struct {
		Check bool `help:"Only say what would change."`
	} `cmd:"" help:"Bring the database up to date; serve does it too."`
	Version struct{} `cmd:"" help:"Print versions."`
}

// Main runs one command and returns its exit code.
func Main(ctx context.Context, p Process) int {
	var c commands
	if len(p.Args) == 0 {
		return help(&c, p)
	}
	k, err := parse(&c, p)
	if err == nil && k == nil {
		return exitFine // help was asked for
	}
	if err == nil {
		err = dispatch(ctx, &c, p, k.Command())
	}
	return report(p.Stderr, err)
}

// help is for whoever calls the program without saying what it is to do.
func help(c *commands, p Process) int {
	p.Args, p.Stdout = []string{"--help"}, p.Stderr
	if _, err := parse(c, p); err != nil {
		return report(p.Stderr, err)
	}
	return exitMisused
}

// report tells a person what went wrong and chooses the exit code.
func report(w io.Writer, err error) int {
	if err == nil {
		return exitFine
	}
	var usage *usageError
	var known *postil.Error
	text := err.Error()
	if errors.As(err, &known) {
		text = known.Sentence
	}
	fmt.Fprintln(w, "postil: "+text)
	if errors.As(err, &usage) {
		return exitMisused
	}
	return exitFailed
}

// parse reads flags, then the environment, then the file, then the defaults.
func parse(c *commands, p Process) (*kong.Context, error) {
	helped := false
	settings := &resolver{getenv: p.Getenv}
	parser, err := kong.New(c, kong.Name("postil"),
		kong.Description("Postil takes comments for blogs. Start with “postil serve --demo”."),
		kong.Writers(p.Stdout, p.Stderr), kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Resolvers(settings), kong.ValueFormatter(withSetting))
	if err != nil {
		return nil, err
	}
	if err := settings.load(p.Args); err != nil {
		return nil, &usageError{err}
	}
	settings.refuseUnknown(parser.Model.AllFlags(false))
	k, err := parser.Parse(p.Args)
	if helped {
		return nil, nil
	}
	if err != nil {
		return nil, &usageError{err}
	}
	return k, errorsOf(settings)
}

func errorsOf(s *resolver) error {
	if len(s.problems) == 0 {
		return nil
	}
	return &usageError{errors.Join(s.problems...)}
}

// withSetting shows in the help by which variable a flag can be set.
func withSetting(v *kong.Value) string {
	if name := v.Tag.Get("setting"); name != "" {
		return v.Help + " ($" + name + ")"
	}
	return v.Help
}

// resolver resolves flags that were not given: from the environment, from the
// file that a variable ending in _FILE names, or from the settings file.
type resolver struct {
	getenv   func(string) (string, bool)
	file     map[string]any
	problems []error
}

func (s *resolver) Validate(*kong.Application) error { return nil }

func (s *resolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	name := flag.Tag.Get("setting")
	if name != "" {
		if v, ok := s.getenv(name); ok && v != "" {
			return v, nil
		}
		if path, ok := s.getenv(name + "_FILE"); ok && path != "" {
			raw, err := os.ReadFile(path)
			if err != nil {
				s.problems = append(s.problems, problem(name+"_FILE", fmt.Sprintf("the file cannot be read (%v)", err), "/run/secrets/"+strings.ToLower(name)))
				return nil, nil
			}
			return strings.TrimRight(string(raw), "\r\n"), nil
		}
	}
	if v, ok := s.file[flag.Name]; ok {
		return plainValue(v), nil
	}
	return nil, nil
}

// plainValue turns a YAML value into what a flag would be given.
func plainValue(v any) string {
	if items, ok := v.([]any); ok {
		words := make([]string, len(items))
		for i, item := range items {
			words[i] = fmt.Sprint(item)
		}
		return strings.Join(words, ",")
	}
	return fmt.Sprint(v)
}

// load reads the settings file when one is named.
func (s *resolver) load(args []string) error {
	path := ""
	for i, arg := range args {
		if v, ok := strings.CutPrefix(arg, "--config="); ok {
			path = v
		} else if arg == "--config" && i+1 < len(args) {
			path = args[i+1]
		}
	}
	if path == "" {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--config: the file cannot be read: %w", err)
	}
	if err := yaml.Unmarshal(raw, &s.file); err != nil {
		return fmt.Errorf("--config: %s is no YAML map of settings: %w", path, err)
	}
	return nil
}

// refuseUnknown notes what stands in the settings file and is no setting: a
// misspelt one would be left at its default without a word.
func (s *resolver) refuseUnknown(groups [][]*kong.Flag) {
	known := map[string]bool{}
	for _, flags := range groups {
		for _, f := range flags {
			known[f.Name] = f.Tag.Get("setting") != ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.file)) {
		if !known[name] {
			s.problems = append(s.problems, fmt.Errorf("--config: “%s” is no setting; “postil serve --help” lists them, such as log-level", name))
		}
	}
}

func dispatch(ctx context.Context, c *commands, p Process, command string) error {
	switch verb := strings.Fields(command); verb[0] {
	case "serve":
		c.Config.Demo = c.Serve.Demo
		return serve(ctx, c.Config, p)
	case "migrate":
		return runMigrate(ctx, c, p)
	case "backup":
		if len(verb) > 1 && verb[1] == "verify" {
			return runVerify(ctx, c, p)
		}
		return runBackup(ctx, c, p)
	case "erase":
		return remote(ctx, c, p, "erase")
	case "export":
		return runExport(ctx, c, p)
	case "ready":
		return runReady(ctx, c, p)
	case "doctor":
		return runDoctor(ctx, c, p)
	case "restore":
		return runRestore(ctx, c, p)
	case "version":
		return printVersion(p.Stdout)
	default:
		return remote(ctx, c, p, strings.Join(verb[:2], " "))
	}
}

func serve(ctx context.Context, cfg Config, p Process) error {
	lg := newLogger(cfg, p.Stderr)
	slog.SetDefault(lg)
	TuneMemory()
	a, err := New(ctx, lg, cfg, Terminal{In: p.Stdin, Out: p.Stdout})
	if err != nil {
		return err
	}
	return errors.Join(a.Run(ctx), a.Close())
}
