package contracts

import "time"

// Limits for the campus; lengths are in metres.
const (
	LimitRooms     = 24 // rooms that are open at the same time
	LimitRoomLabel = 40 // characters on a room's sign

	StudioDesks = 6                // desk modules in a studio
	StudioRow   = 3                // desk modules in a row
	DeskSeats   = 2                // seats at a desk module
	DeskPerches = 2                // sub-agents drawn at one seat
	StudioIdle  = 30 * time.Minute // an empty studio is closed after this time

	CampusGap    = 3.5  // distance between plots
	CampusMargin = 1.75 // width of the ground around the outermost plots
)
