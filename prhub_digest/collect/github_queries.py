"""Every GraphQL query that is sent to GitHub, as text. Only fields that GitHub Enterprise Server knows, too.

Page sizes are far below the node limit: GitHub ends a query after 10 seconds, and one of some 26,000 nodes is answered
with nulls. Points: the connections to be resolved, assuming full pages, divided by 100
(https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api): a page of a list costs
1 point, a batch of details 7, a full batch of further pages 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass

LIST_PAGE = 100
DETAIL_BATCH = 20
MORE_BATCH = 10
AUTHOR_BATCH = 25

_LIMIT = "rateLimit { limit cost remaining resetAt }"
_PAGE = "pageInfo { hasNextPage endCursor }"
_ACTOR = "fragment Actor on Actor { __typename login ... on User { name } }"

# A squash and a rebase are told apart by the last commit: a rebase keeps its author, time and subject.
LISTED_FIELDS = (
    "id number mergedAt updatedAt",
    "title",
    "url",
    "createdAt",
    "baseRefName",
    "headRefName",
    "author { ...Actor }",
    "mergeCommit { oid authoredDate messageHeadline author { name } }",
    "commits(last: 1) { totalCount nodes { commit { authoredDate messageHeadline author { name } } } }",
)
_LISTED = f"""
fragment Listed on PullRequest {{
  {" ".join(LISTED_FIELDS)}
}}
{_ACTOR}
"""

VIEWER = f"""
query Viewer {{ viewer {{ login }} {_LIMIT} }}
"""

REPOSITORY = f"""
query Repository($owner: String!, $name: String!) {{
  repository(owner: $owner, name: $name) {{
    nameWithOwner url isPrivate viewerPermission defaultBranchRef {{ name }}
    object(expression: "HEAD:.gitattributes") {{ ... on Blob {{ text }} }}
  }}
  {_LIMIT}
}}
"""

ATTRIBUTES = f"""
query Attributes($owner: String!, $name: String!, $expression: String!) {{
  repository(owner: $owner, name: $name) {{ object(expression: $expression) {{ ... on Blob {{ text }} }} }}
  {_LIMIT}
}}
"""

UPDATED = f"""
query Updated($owner: String!, $name: String!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequests(
      states: MERGED, orderBy: {{field: UPDATED_AT, direction: DESC}}, first: {LIST_PAGE}, after: $after
    ) {{ {_PAGE} nodes {{ ...Listed }} }}
  }}
  {_LIMIT}
}}
{_LISTED}
"""

SEARCH = f"""
query Search($query: String!, $after: String) {{
  search(type: ISSUE, query: $query, first: {LIST_PAGE}, after: $after) {{
    issueCount {_PAGE} nodes {{ ... on PullRequest {{ ...Listed }} }}
  }}
  {_LIMIT}
}}
{_LISTED}
"""

COUNT = f"""
query Count($query: String!) {{ search(type: ISSUE, query: $query, first: 1) {{ issueCount }} {_LIMIT} }}
"""


def authored(authors: int) -> str:
    """How much each of two searches about so many authors finds: `before0` and `until0`, and so on."""
    names = [f"{name}{place}" for place in range(authors) for name in ("before", "until")]
    variables = ", ".join(f"${name}: String!" for name in names)
    fields = "\n  ".join(f"{name}: search(type: ISSUE, query: ${name}, first: 1) {{ issueCount }}" for name in names)
    return f"query Authored({variables}) {{\n  {fields}\n  {_LIMIT}\n}}\n"


HISTORY = f"""
query History(
  $owner: String!, $name: String!, $branch: String!, $since: GitTimestamp!, $until: GitTimestamp!, $after: String
) {{
  repository(owner: $owner, name: $name) {{
    ref(qualifiedName: $branch) {{
      target {{
        ... on Commit {{
          history(since: $since, until: $until, first: {LIST_PAGE}, after: $after) {{
            {_PAGE}
            nodes {{
              oid committedDate
              associatedPullRequests(first: 5) {{
                nodes {{ number mergedAt repository {{ nameWithOwner }} mergeCommit {{ oid }} }}
              }}
            }}
          }}
        }}
      }}
    }}
  }}
  {_LIMIT}
}}
"""


def by_number(numbers: Sequence[int]) -> str:
    """The listed fields of some pull requests, `p<number>` each, of the repository `$owner`, `$name`."""
    fields = "\n".join(f"    p{number}: pullRequest(number: {number}) {{ ...Listed }}" for number in numbers)
    return f"""
query ByNumber($owner: String!, $name: String!) {{
  repository(owner: $owner, name: $name) {{
{fields}
  }}
  {_LIMIT}
}}
{_LISTED}
"""


def by_number_in_pieces(numbers: Sequence[int]) -> str:
    """The same fields, `p<number>_<piece>` each: one that GitHub refuses, and that is never null, blanks no other."""
    fields = "\n".join(
        f"    p{number}_{piece}: pullRequest(number: {number}) {{ {field} }}"
        for number in numbers
        for piece, field in enumerate(LISTED_FIELDS)
    )
    return f"""
query ByNumberInPieces($owner: String!, $name: String!) {{
  repository(owner: $owner, name: $name) {{
{fields}
  }}
  {_LIMIT}
}}
{_ACTOR}
"""


@dataclass(frozen=True, slots=True)
class Connection:
    """A nested list: its owner's type, its arguments beside `first` and `after`, the fields of its nodes.

    `first` is the size of the page that comes with its owner, `more` that of the later ones.
    """

    owner: str
    name: str
    first: int
    more: int
    fields: str
    arguments: str = ""

    def select(self, size: int, after: str = "") -> str:
        head = f"{self.name}(first: {size}{after}{self.arguments})"
        return f"{head} {{ {_PAGE} nodes {{ {self.fields} }} }}"


_THREAD_COMMENT = "id body createdAt url isMinimized diffHunk author { ...Actor } commit { oid } originalCommit { oid }"
THREAD_COMMENTS = Connection("PullRequestReviewThread", "comments", 10, 100, _THREAD_COMMENT)
LABELS = Connection("PullRequest", "labels", 30, 100, "name")
COMMITS = Connection(
    "PullRequest", "commits", 50, 100, "commit { oid message authoredDate author { name user { login } } }"
)
REVIEWS = Connection("PullRequest", "reviews", 30, 100, "id state body submittedAt author { ...Actor }")
COMMENTS = Connection("PullRequest", "comments", 30, 100, "id body createdAt url isMinimized author { ...Actor }")
THREADS = Connection(
    "PullRequest",
    "reviewThreads",
    30,
    50,
    "id isResolved isOutdated path line originalLine originalStartLine diffSide resolvedBy { ...Actor } "
    + THREAD_COMMENTS.select(THREAD_COMMENTS.first),
)
REFERENCES = Connection(
    "PullRequest",
    "timelineItems",
    20,
    100,
    "... on CrossReferencedEvent { source { __typename ... on PullRequest "
    "{ number title url mergedAt repository { nameWithOwner } } } }",
    ", itemTypes: [CROSS_REFERENCED_EVENT]",
)
NESTED = (LABELS, COMMITS, REVIEWS, COMMENTS, THREADS, REFERENCES)

_NESTED_FIELDS = "\n      ".join(connection.select(connection.first) for connection in NESTED)
DETAILS = f"""
query Details($ids: [ID!]!) {{
  nodes(ids: $ids) {{
    ... on PullRequest {{
      id number title body url createdAt mergedAt baseRefName headRefName headRefOid
      additions deletions changedFiles
      author {{ ...Actor }} mergedBy {{ ...Actor }} mergeCommit {{ oid }}
      {_NESTED_FIELDS}
    }}
  }}
  {_LIMIT}
}}
{_ACTOR}
"""


def more(connections: Sequence[Connection]) -> str:
    """The next pages of some connections, `m0`, `m1`, ...: of the node `$id0` after the cursor `$after0`, and so on."""
    places = range(len(connections))
    variables = ", ".join(f"$id{place}: ID!, $after{place}: String" for place in places)
    fields = "\n  ".join(
        f"m{place}: node(id: $id{place}) {{ ... on {connection.owner} "
        f"{{ {connection.select(connection.more, f', after: $after{place}')} }} }}"
        for place, connection in zip(places, connections, strict=True)
    )
    actor = _ACTOR if any("...Actor" in connection.fields for connection in connections) else ""
    return f"query More({variables}) {{\n  {fields}\n  {_LIMIT}\n}}\n{actor}"
