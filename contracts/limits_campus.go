package contracts

import "time"

// Limits of the campus; lengths are in metres.
const (
	LimitRooms     = 24 // rooms that are open at the same time
	LimitRoomLabel = 40 // characters on a room's sign

	StudioDesks = 6                // desk modules of a studio
	DeskSeats   = 2                // seats of a desk module
	StudioIdle  = 30 * time.Minute // an empty studio is closed after this time

	CampusGap    = 3.5  // between plots
	CampusMargin = 1.75 // ground around the outermost plots
)
