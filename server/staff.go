package server

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/directory"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/repo/keeper"
	"github.com/bullpen-office/bullpen/turn"
)

// openMemory loads the list of conversations that the office started.
func (s *Server) openMemory() {
	s.conversations = &turn.Memory{}
	if !s.cfg.durable() {
		return
	}
	memory, err := turn.OpenMemory(filepath.Join(s.cfg.DataDir, "conversations.json"))
	if err != nil {
		s.cfg.Log.Warn("conversation memory could not be loaded; agents will start new conversations", "error", err)
	}
	s.conversations = memory
}

// openDirectory creates the agent directory, including the crew's workers.
func (s *Server) openDirectory() (err error) {
	home, _ := os.UserHomeDir() // if it is unknown, no home directory is protected
	s.directory, err = directory.New(directory.Config{
		Adapters: s.cfg.Adapters, Staff: s.cfg.Staff, Options: s.cfg.Options, Memory: s.conversations, Roots: s.cfg.Workspaces, Agent: s.view.Profile, Crew: s.view.Crew, Peers: s.peers, Workdir: s.workdir, Issue: s.issue,
		Drive: agents.DriveConfig{
			DataDir: s.cfg.DataDir, Folder: s.cfg.Folder, Home: home, Version: s.cfg.Version, Pace: s.cfg.Pace, Profile: s.view.ProfileOrID, Summary: s.view.Summary,
			Getenv: s.cfg.Getenv, ReadFile: gate.ReadFile, Now: s.cfg.Now, Log: s.cfg.Log, Metrics: s.metrics,
		},
	})
	return err
}

func (s *Server) openCrew() {
	if s.cfg.Crew == CrewNone {
		return
	}
	var repos crew.Repos
	if s.cfg.durable() {
		s.keeper = keeper.New(keeper.Config{
			Dir: filepath.Join(s.cfg.DataDir, "worktrees"), ID: s.ledger.ID(), Node: s.cfg.node(), Env: process.Environment(os.Environ()), Hosts: s.cfg.Staff.AcceptHosts, Office: s.office, View: s.view, Blobs: s.ledger, Log: s.cfg.Log,
		})
		repos = s.keeper
	}
	s.crew = crew.New(crew.Config{
		Repos: repos, Office: s.office, Blobs: s.ledger, Engine: s.engine, Workers: s.directory.Workers(), Default: s.cfg.Crew,
		Profile: s.view.ProfileOrID, Summary: s.view.Summary, NewUUID: uuid.NewString, Now: s.cfg.Now, Logger: s.cfg.Log,
	})
}

// issue creates a credential for an agent's program. It fails until the office is listening.
func (s *Server) issue(agentID string, processes ...gate.Process) (directory.Credential, error) {
	s.binding.Lock()
	g, address := s.gate, s.address
	s.binding.Unlock()
	if g == nil {
		return directory.Credential{}, fmt.Errorf("%w: the office is not listening yet", drive.ErrUnreachable)
	}
	token, revoke := g.Issue(agentID, processes...)
	return directory.Credential{Token: token, Address: address, Revoke: revoke}, nil
}

// processes gives access to the credentials issued to the office's programs, once the gate exists.
type processes struct{ *Server }

func (s processes) HasProcesses() bool { return s.gate.HasProcesses() }

func (s processes) Identify(c gate.Process) (contracts.Principal, bool) { return s.gate.Identify(c) }
