package contracts

import "time"

// The limits of a look at the folder that the office was started in.
const (
	LimitSurveyFiles      = 20_000   // files that are listed
	LimitSurveyFolders    = 5_000    // folders that are opened when there is no git
	LimitSurveyDepth      = 24       // folders inside each other
	LimitSurveyFile       = 1 << 20  // bytes of a file that is read; larger files are only measured
	LimitSurveyBytes      = 64 << 20 // bytes read in all
	LimitSurveyOutput     = 8 << 20  // bytes of git's output
	LimitSurveyCommits    = 1000     // commits that are counted
	LimitSurveyChecks     = 8        // files that say how tests run
	LimitSurveyList       = 10       // entries of each list in a report
	LimitSurveyFolderRows = 40       // folders at the top that are named

	SurveyTimeout = 10 * time.Second // of one look
	GitTimeout    = 5 * time.Second  // of one call of git
)
