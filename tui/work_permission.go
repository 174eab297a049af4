package tui

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// permissionDoc returns a document for a call that needs permission: its view, then every argument
// that the view does not show. Nothing is collapsed.
func (a *app) permissionDoc(p *contracts.Permission) (d workDoc) {
	v := work.Of(p.Tool, p.Args, nil)
	d.put(&a.look, v, true)
	d.rest(&a.look, v, p.Args)
	return d
}

// openPermission shows a complete call full-screen. read is called once the last line of the call
// has been displayed.
func (a *app) openPermission(d *contracts.Decision, read func()) {
	p := d.Permission
	if p == nil {
		return
	}
	who := ""
	if d.AskedBy != "" {
		who = model.Line(a.office.Rows().Name(d.AskedBy)) + " "
	}
	a.openWork(&workScreen{
		title: who + contracts.SayWantsToUse + " " + model.Line(p.Tool), about: placeWords(p),
		of: func() string { return d.DecisionID }, doc: func() workDoc { return a.permissionDoc(p) }, read: read,
	})
}

// placeWords returns the line that says where a call runs, or "" if that is unknown.
func placeWords(p *contracts.Permission) string {
	if p.Place == "" {
		return ""
	}
	return "in " + model.Line(p.Place)
}
