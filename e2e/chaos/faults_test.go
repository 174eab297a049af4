package chaos_test

import (
	"math/rand/v2"
	"syscall"
	"time"
)

// fault is a failure that the test causes and then repairs.
type fault struct {
	name string
	do   func(c *cluster, rng *rand.Rand)
}

// recordStream is the stream of the office's records.
const recordStream = "BULLPEN_office_R"

// fullDisk is the fault that only root can cause.
const fullDisk = "fill the disk of the leader of the stream"

// hold waits for the duration of a fault. That is longer than the writer's lease, and sometimes
// longer than the office waits for a silent node.
func hold(rng *rand.Rand) {
	time.Sleep(4*time.Second + time.Duration(rng.IntN(10))*time.Second)
}

var faults = []fault{
	{"kill the writer", func(c *cluster, _ *rand.Rand) {
		n := c.writer()
		n.end(syscall.SIGKILL)
		n.start()
	}},
	{"stop the writer gracefully", func(c *cluster, _ *rand.Rand) {
		n := c.writer()
		n.end(syscall.SIGTERM)
		n.start()
	}},
	{"freeze the writer, and wake it", func(c *cluster, rng *rand.Rand) {
		n := c.writer()
		_ = n.process.Process.Signal(syscall.SIGSTOP)
		hold(rng)
		_ = n.process.Process.Signal(syscall.SIGCONT)
	}},
	{"kill the leader of the stream", func(c *cluster, _ *rand.Rand) {
		s := c.servers.Leader(recordStream)
		s.Kill()
		time.Sleep(3 * time.Second)
		s.Restart()
	}},
	{"cut off the writer", func(c *cluster, rng *rand.Rand) {
		n := c.writer()
		for _, l := range n.links {
			l.sever()
		}
		hold(rng)
		for _, l := range n.links {
			l.join()
		}
	}},
	{"cut off another node", func(c *cluster, rng *rand.Rand) {
		w := c.writer()
		for _, n := range c.nodes {
			if n == w {
				continue
			}
			for _, l := range n.links {
				l.sever()
			}
			hold(rng)
			for _, l := range n.links {
				l.join()
			}
			return
		}
	}},
	{"kill the outpost", func(c *cluster, rng *rand.Rand) {
		c.outpost.kill()
		time.Sleep(time.Duration(rng.IntN(3)) * time.Second) // the agent keeps running
		c.outpost.start()
		c.outpost.awaitConnected(c)
	}},
	{"cut off the outpost", func(c *cluster, rng *rand.Rand) {
		c.outpost.link.sever()
		hold(rng)
		c.outpost.link.join()
		c.outpost.awaitConnected(c)
	}},
	{"cut off the outpost, and kill it meanwhile", func(c *cluster, rng *rand.Rand) {
		c.outpost.link.sever()
		time.Sleep(time.Duration(1+rng.IntN(3)) * time.Second)
		c.outpost.kill()
		c.outpost.start()
		hold(rng)
		c.outpost.link.join()
		c.outpost.awaitConnected(c)
	}},
	{"slow links", func(c *cluster, rng *rand.Rand) {
		for _, n := range c.nodes {
			for _, l := range n.links {
				l.slow(time.Duration(20+rng.IntN(200)) * time.Millisecond)
			}
		}
		hold(rng)
		for _, n := range c.nodes {
			for _, l := range n.links {
				l.slow(0)
			}
		}
	}},
	{"kill two of three NATS servers", func(c *cluster, rng *rand.Rand) {
		keep := rng.IntN(replicas)
		for i, s := range c.servers.Servers {
			if i != keep {
				s.Kill()
			}
		}
		hold(rng)
		for _, s := range c.servers.Servers {
			s.Restart()
		}
		c.servers.Wait()
	}},
	{"freeze the leader of the stream, and wake it", func(c *cluster, rng *rand.Rand) {
		s := c.servers.Leader(recordStream)
		s.Pause()
		hold(rng)
		s.Resume()
	}},
	{"slow down the leader of the stream, as a slow disk does", func(c *cluster, _ *rand.Rand) {
		s := c.servers.Leader(recordStream)
		for range 40 {
			s.Pause()
			time.Sleep(100 * time.Millisecond)
			s.Resume()
			time.Sleep(20 * time.Millisecond)
		}
	}},
	{fullDisk, func(c *cluster, _ *rand.Rand) {
		s := c.servers.Leader(recordStream)
		s.FillDisk()
		time.Sleep(5 * time.Second)
		s.FreeDisk()
		s.Stop() // a NATS server must be restarted before it uses a disk that was full
		s.Restart()
		c.servers.Wait()
	}},
	{"let the writer's clock jump ahead, then back", func(c *cluster, rng *rand.Rand) {
		n := c.writer()
		_ = n.process.Process.Signal(syscall.SIGUSR1)
		hold(rng)
		_ = n.process.Process.Signal(syscall.SIGUSR2)
	}},
	{"kill the writer and all NATS servers, and start the servers without it", func(c *cluster, _ *rand.Rand) {
		n := c.writer()
		n.end(syscall.SIGKILL)
		for _, s := range c.servers.Servers {
			s.Kill()
		}
		time.Sleep(6 * time.Second)
		for _, s := range c.servers.Servers {
			s.Restart()
		}
		c.servers.Wait()
		c.writer()
		n.start()
	}},
	{"kill everything", func(c *cluster, _ *rand.Rand) {
		for _, n := range c.nodes {
			n.end(syscall.SIGKILL)
		}
		for _, s := range c.servers.Servers {
			s.Kill()
		}
		for _, s := range c.servers.Servers {
			s.Restart()
		}
		c.servers.Wait()
		for _, n := range c.nodes {
			n.launch()
		}
		for _, n := range c.nodes {
			n.awaitReady()
		}
	}},
}
