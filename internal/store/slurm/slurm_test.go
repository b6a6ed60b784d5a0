package slurm_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/store/slurm"
	"github.com/muster-gpu/muster/internal/testkit/sample"
)

// TestScripts: a shell that reads the scripts gets the given words.
func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
	dir := filepath.Join(t.TempDir(), "a campaign's 100%")
	printer := filepath.Join(t.TempDir(), "print it")
	if err := os.WriteFile(printer,
		[]byte("#!/bin/sh\nfor word; do echo \"<$word>\"; done\nexit 3\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c := slurm.Campaign{
		Dir:     dir,
		Muster:  printer,
		Args:    []string{"-m", "it's $HOME", "mp-*"},
		Shards:  8,
		Running: 4,
		Time:    "1:00:00",
		Memory:  "1G",
		CPUs:    2,
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", filepath.Join(dir, slurm.ArrayScript))
	cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=3", "SLURM_CPUS_PER_TASK=2")
	got, err := cmd.Output()
	want := fmt.Sprintf(
		"<run>\n<-m>\n<it's $HOME>\n<mp-*>\n<--jobs>\n<2>\n<--shard>\n<3/8>\n<-o>\n<%s/shard-3.jsonl>\n", dir)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	text, _ := os.ReadFile(filepath.Join(dir, slurm.ArrayScript))
	if want := "\n#SBATCH --output=\"" + filepath.Dir(dir) +
		"/a campaign's 100%%/logs/shard-%a.log\"\n"; !strings.Contains(string(text), want) {
		t.Errorf("array.sh has not %s:\n%s", want, text)
	}
	for _, option := range []string{"array=1-8%4", "requeue", "cpus-per-task=2", "time=1:00:00", "mem=1G"} {
		if !strings.Contains(string(text), "#SBATCH --"+option+"\n") {
			t.Errorf("array.sh has no option %s:\n%s", option, text)
		}
	}
}

// TestComplete: what sbatch would refuse is refused.
func TestComplete(t *testing.T) {
	for _, time := range []string{"", "30", "30:00", "4:00:00", "1-12", "1-12:30", "1-12:30:00", "UNLIMITED"} {
		if err := (&slurm.Campaign{Dir: "c", Shards: 1, Time: time}).Complete(); err != nil {
			t.Errorf("%q: %v", time, err)
		}
	}
	for _, c := range []slurm.Campaign{
		{Dir: "c", Shards: 1, Time: "banana"},
		{Dir: "c", Shards: 1, Time: "4h"},
		{Dir: "c", Shards: 1, Time: "1:2:3:4"},
		{Dir: "c", Shards: 1, Time: "1-"},
		{Dir: "c"},
		{Shards: 1},
		{Dir: "c", Shards: 1, CPUs: -1},
		{Dir: "c", Shards: 1, Running: -1},
		{Dir: `a\b`, Shards: 1},
		{Dir: "c", Shards: 1, Args: []string{"-"}},
	} {
		if err := c.Complete(); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

// cluster is a Slurm cluster of one machine: a controller and a daemon, which this test started.
type cluster struct {
	t      *testing.T
	dir    string
	config string
}

// start starts a cluster, if Slurm is installed.
func start(t *testing.T) *cluster {
	t.Helper()
	for _, tool := range []string{"slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "munged"} {
		if _, err := lookPath(tool); err != nil {
			t.Skipf("there is no %s here: the job array is not tried (Debian has it in slurm-wlm and munge)", tool)
		}
	}
	dir, err := os.MkdirTemp("/tmp", "slurm") // a short name: that of a socket is bounded
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := &cluster{t, dir, filepath.Join(dir, "slurm.conf")}
	if err := os.WriteFile(filepath.Join(dir, "munge.key"), bytes.Repeat([]byte("muster"), 200), 0o600); err != nil {
		t.Fatal(err)
	}
	c.writeConfig()
	c.daemon("munged", "--foreground", "--force", "--num-threads=2", "--key-file="+dir+"/munge.key",
		"--socket="+dir+"/munge.socket",
		"--pid-file="+dir+"/munge.pid", "--log-file="+dir+"/munge.log", "--seed-file="+dir+"/munge.seed")
	c.until("munged answers", func() bool { _, err := os.Stat(dir + "/munge.socket"); return err == nil })
	c.daemon("slurmctld", "-D", "-f", c.config)
	c.daemon("slurmd", "-D", "-f", c.config, "-N", "here")
	c.until("the node is idle", func() bool {
		return strings.TrimSpace(c.try("sinfo", "--noheader", "-o", "%T")) == "idle"
	})
	return c
}

func lookPath(tool string) (string, error) {
	if path, err := exec.LookPath("/usr/sbin/" + tool); err == nil {
		return path, nil
	}
	return exec.LookPath(tool)
}

// ports returns n ports that are free.
func ports(t *testing.T, n int) []int {
	t.Helper()
	var all []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().(*net.TCPAddr).Port)
	}
	return all
}

func (c *cluster) writeConfig() {
	me, err := user.Current()
	if err != nil {
		c.t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	p := ports(c.t, 2)
	text := fmt.Sprintf(`ClusterName=muster
SlurmctldHost=%s(127.0.0.1)
SlurmctldPort=%d
SlurmdPort=%d
SlurmUser=%s
SlurmdUser=%s
AuthType=auth/munge
AuthInfo=socket=%s/munge.socket,cred_expire=5
StateSaveLocation=%s/state
SlurmdSpoolDir=%s/spool
SlurmctldPidFile=%s/slurmctld.pid
SlurmdPidFile=%s/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
MpiDefault=none
NodeName=here NodeAddr=127.0.0.1 NodeHostname=%s Port=%d CPUs=4
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`, host, p[0], p[1], me.Username, me.Username, c.dir, c.dir, c.dir, c.dir, c.dir, host, p[1])
	if err := os.WriteFile(c.config, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	for _, dir := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(c.dir, dir), 0o755); err != nil {
			c.t.Fatal(err)
		}
	}
}

// daemon starts a program that runs until the test ends.
func (c *cluster) daemon(name string, args ...string) {
	path, err := lookPath(name)
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "SLURM_CONF="+c.config)
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if c.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			c.t.Logf("%s:\n%s", name, text)
		}
	})
}

// try runs a command of Slurm, and returns "" if it fails.
func (c *cluster) try(name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "SLURM_CONF="+c.config)
	out, _ := cmd.Output()
	return string(out)
}

// patience bounds each wait of the test; each takes seconds.
const patience = 2 * time.Minute

// until waits for a condition.
func (c *cluster) until(what string, is func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if is() {
			return
		}
	}
	c.t.Fatalf("it never came about that %s\n%s", what, c.try("squeue"))
}

// killsOnce is a muster whose third task is killed (kill -9) during its work when it first runs,
// and then hangs, like a task whose machine is lost.
const killsOnce = `#!/bin/sh
if [ "$1" = run ] && [ "$SLURM_ARRAY_TASK_ID" = 3 ] && [ ! -e "%[1]s/killed" ]; then
	%[2]s "$@" &
	until [ "$(cat "%[1]s/shard-3.jsonl" 2>/dev/null | wc -l)" -ge 3 ]; do sleep 0.01; done
	kill -9 $!
	wait
	cp "%[1]s/shard-3.jsonl" "%[1]s/killed"
	exec sleep 1000
fi
exec %[2]s "$@"
`

// TestJobArray runs eight shards with Slurm, kills one and has it restarted: the merged results
// equal those of a run without shards.
func TestJobArray(t *testing.T) {
	sample.Long(t)
	if runtime.GOOS != "linux" {
		t.Skip("this test starts a cluster of Slurm, which needs Linux")
	}
	c := start(t)
	muster := filepath.Join(c.dir, "muster")
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "SLURM_CONF="+c.config)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	run("go", "build", "-o", muster, "github.com/muster-gpu/muster/cmd/muster")
	tests, campaign, whole := c.dir+"/tests.tar", c.dir+"/a 100% #1 campaign", c.dir+"/whole.jsonl"
	run(muster, "gen", "--isa", "ptx", "--edges", "Rfe Fre Coe Pod** Pos** Fence.sc.gpu*d**", "--accesses",
		"weak,relaxed.gpu", "--scopes", "cta,gpu", "--size", "4..5", "-o", tests)
	wrapper := filepath.Join(c.dir, "killed-once.sh")
	if err := os.WriteFile(wrapper, fmt.Appendf(nil, killsOnce, campaign, muster), 0o777); err != nil {
		t.Fatal(err)
	}
	run(muster, "campaign", "slurm", "-o", campaign, "--shards", "8", "--muster", wrapper, "--", "--no-time", "-m",
		"ptx", "-m", "sc", tests)
	run(campaign + "/" + slurm.SubmitScript)
	c.until("the third task is killed", func() bool { _, err := os.Stat(campaign + "/killed"); return err == nil })
	ids := strings.Fields(c.try("squeue", "--noheader", "--array", "-o", "%F_%K %T"))
	i := slices.IndexFunc(ids, func(id string) bool { return strings.HasSuffix(id, "_3") })
	if i < 0 {
		t.Fatalf("the third task is not in the queue: %q", ids)
	}
	run("scontrol", "requeue", ids[i])
	c.until("the queue is empty", func() bool { return c.try("squeue", "--noheader") == "" && c.try("sinfo") != "" })

	if logs, _ := filepath.Glob(campaign + "/logs/*.log"); len(logs) != 8+1 {
		t.Errorf("the logs are %q", logs)
	}
	run(muster, "run", "--no-time", "-m", "ptx", "-m", "sc", "-o", whole, tests)
	if diff := cmp.Diff(sorted(t, whole), sorted(t, campaign+"/"+slurm.Results)); diff != "" {
		t.Errorf("(-one run +merged)\n%.2000s", diff)
	}
	before, _ := os.ReadFile(campaign + "/killed")
	after, _ := os.ReadFile(campaign + "/shard-3.jsonl")
	if kept := before[:bytes.LastIndexByte(before, '\n')+1]; !bytes.HasPrefix(after, kept) || len(after) <= len(kept) {
		t.Errorf("the third task did not go on where it was killed: %d bytes then, %d at the end",
			len(before), len(after))
	}
}

func sorted(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(strings.Lines(string(text)))
}
