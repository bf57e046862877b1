package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"

	"github.com/postil/postil/internal/app"
)

// profileTo names the files of the profiles, without their endings.
const profileTo = "POSTIL_BENCH_PROFILE"

// runService is the service with a profiler: "postil-bench serve" does what
// "postil serve" does, and writes NAME.PID.cpu and NAME.PID.heap.
func runService(ctx context.Context, args []string) (err error) {
	path := fmt.Sprintf("%s.%d", os.Getenv(profileTo), os.Getpid())
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	cpu, err := os.Create(path + ".cpu")
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	code := app.Main(ctx, app.Process{Args: args, Getenv: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	pprof.StopCPUProfile()
	err = errors.Join(cpu.Close(), writeHeap(path+".heap"))
	if code != 0 {
		err = errors.Join(err, fmt.Errorf("the service ended with code %d", code))
	}
	return err
}

func writeHeap(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	runtime.GC()
	return errors.Join(pprof.WriteHeapProfile(f), f.Close())
}
