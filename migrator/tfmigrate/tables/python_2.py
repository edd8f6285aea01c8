"""Names that only Python 2 has: built-in ones, methods of dict, and modules."""

BUILTINS = frozenset(
    (
        *(
            "StandardError", "apply", "basestring", "buffer", "cmp", "coerce", "execfile", "file",
            "intern", "long",
        ),
        *("raw_input", "reduce", "reload", "unichr", "unicode", "xrange"),
    )
)  # fmt: skip
# Functions that make what Python 2 has a next() method of.
ITERATORS = frozenset(("csv.DictReader", "csv.reader", "enumerate", "iter", "open", "zip"))
# Methods of dict whose result was a list.
LISTS_OF_DICTS = frozenset(("items", "keys", "values"))
# Encodings of bytes, which Python 3 has in the module codecs only.
ENCODINGS = frozenset(("base64", "bz2", "hex", "rot13", "string-escape", "string_escape", "zlib"))
# Methods of a class that operators call, and those that Python 3 calls.
OPERATORS = {
    "__cmp__": "__lt__",
    "__div__": "__truediv__",
    "__idiv__": "__itruediv__",
    "__nonzero__": "__bool__",
}
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
