"""Names that only Python 2 has: built-in ones, methods of dict, and modules."""

from __future__ import annotations

BUILTINS = frozenset(
    (
        *("apply", "basestring", "buffer", "cmp", "coerce", "execfile", "file", "intern", "long"),
        *("raw_input", "reduce", "reload", "unichr", "unicode", "xrange"),
    )
)
METHODS = frozenset(("has_key", "iteritems", "iterkeys", "itervalues"))
# Functions whose result was a list.
LISTS = frozenset(("filter", "map", "range", "zip"))
MODULES = frozenset(
    (
        *("ConfigParser", "HTMLParser", "Queue", "SocketServer", "StringIO", "Tkinter"),
        *("__builtin__", "cPickle", "cStringIO", "commands", "cookielib", "copy_reg", "httplib"),
        *("md5", "sets", "sha", "thread", "urllib2", "urlparse"),
    )
)
# Functions of modules that both have.
FUNCTIONS = frozenset(
    (
        *(f"itertools.{name}" for name in ("ifilter", "imap", "izip", "izip_longest")),
        *(f"string.{name}" for name in ("join", "letters", "lowercase", "maketrans", "uppercase")),
        *(f"urllib.{name}" for name in ("quote", "unquote", "urlencode", "urlopen", "urlretrieve")),
        *("os.getcwdu", "sys.maxint", "types.StringType", "types.ListType", "types.DictType"),
    )
)
FUNCTION_PACKAGES = tuple(sorted({name.partition(".")[0] for name in FUNCTIONS}))
