// Command postil is the comment platform: server and commands in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/postil/postil/internal/app"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := app.Main(ctx, app.Process{Args: os.Args[1:], Getenv: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(code)
}
