#!/usr/bin/env bash
# Writes the report as a comment on the pull request: one comment that is kept up to date. With COMMENT=changes one is made only if
# something changed or cannot be told; a comment that is there is brought up to date in any case, so that an old alarm does not stay.
# That it cannot be written (a pull request of a fork has no token for it) is said and fails nothing.
set -uo pipefail

marker='<!-- isadiff -->'
body=$REPORTS/comment.md
{ echo "$marker" && cat "$REPORTS/report.md"; } >"$body"

say() { echo "::notice title=isadiff::$1"; }

if ! found=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" \
	--jq ".[] | select(.body | startswith(\"$marker\")) | .id"); then
	say "the comments of the pull request cannot be read; the summary of the job has the report"
	exit 0
fi
id=${found%%$'\n'*}
if [ -n "$id" ]; then
	gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$body" --silent ||
		say "the comment cannot be changed; the summary of the job has the report"
elif [ "$COMMENT" = always ] || [ "$VERDICT" != ok ] || [ "$CHANGED" = true ]; then
	gh api --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" -F "body=@$body" --silent ||
		say "the comment cannot be written; the summary of the job has the report"
fi
exit 0
