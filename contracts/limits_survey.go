package contracts

import "time"

// Limits for surveying the office's folder.
const (
	LimitSurveyFiles      = 20_000   // files that are listed
	LimitSurveyFolders    = 5_000    // folders read without git
	LimitSurveyDepth      = 24       // levels of nested folders
	LimitSurveyFile       = 1 << 20  // bytes of a file; larger files are measured but not read
	LimitSurveyBytes      = 64 << 20 // bytes read in total
	LimitSurveyOutput     = 8 << 20  // bytes of git's output
	LimitSurveyCommits    = 1000     // commits that are counted
	LimitSurveyChecks     = 8        // files that describe how tests run
	LimitSurveyList       = 10       // entries in each list of a report
	LimitSurveyCheckDepth = 1        // maximum folder depth of files that describe how tests run, such as web/package.json
	LimitSurveyFolderRows = 40       // listed top-level folders
	LimitSurveyNote       = 120      // characters of a TODO comment in a report
	LimitSurveySubject    = 100      // characters of a commit's subject in a report
	LimitSurveyProbe      = 8000     // bytes at the start of a file that are searched for a zero byte
	LimitFilePath         = 4096     // bytes of a file path in a request
	LimitWorkdirs         = 1024     // remembered working directories of sessions

	SurveyTimeout = 10 * time.Second // timeout for one survey
	GitTimeout    = 5 * time.Second  // timeout for one git command
)
