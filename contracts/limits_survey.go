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
	LimitSurveyCheckDepth = 1        // folders above a file that says how tests run: web/package.json is found
	LimitSurveyFolderRows = 40       // folders at the top that are named
	LimitSurveyNote       = 120      // characters of a TODO comment in a report
	LimitSurveySubject    = 100      // characters of a commit's subject in a report
	LimitSurveyProbe      = 8000     // bytes at the beginning of a file that are searched for a zero byte
	LimitFilePath         = 4096     // bytes of a file path in a request
	LimitWorkdirs         = 1024     // sessions whose working directory is remembered

	SurveyTimeout = 10 * time.Second // of one look
	GitTimeout    = 5 * time.Second  // of one call of git
)
