"""What CPython says about the functions of Python files.

Reads paths from stdin, one a line, and writes one line of JSON for each: its
functions with their decorators, in the order of the text, or why the file does
not parse. Lines are 0-based, columns are bytes of the file as it is.
"""

import ast
import io
import json
import re
import sys
import tokenize

KERNELS = {"flydsl.compiler.kernel", "flydsl.expr.kernel"}
LAUNCHERS = {"flydsl.compiler.jit", "flydsl.expr.jit"}

GAP = rb"(?:[ \t\f\n]|\\\n|#[^\n]*\n)*"
DEF = re.compile(rb"(?:async" + GAP + rb")?def" + GAP)
# From the last expression of a header to its colon there are only brackets,
# commas, the markers "*" and "/", and blanks.
COLON = re.compile(rb"(?:[ \t\f\n,*/)\]]|\\\n|#[^\n]*\n)*:")
CLOSING = re.compile(rb"(?:" + GAP + rb"\))*")


class Source:
    def __init__(self, path):
        with open(path, "rb") as f:
            raw = f.read()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        text = raw.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        self.encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        self.text = text.encode("utf-8")
        self.tree = ast.parse(raw)
        self.starts = [0]
        for line in self.text.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def offset(self, line, column):
        """The offset in self.text of a position as ast gives it."""
        return self.starts[line - 1] + column

    def place(self, offset):
        """The position in the file of an offset in self.text."""
        low, high = 0, len(self.starts) - 1
        while high - low > 1:
            mid = (low + high) // 2
            low, high = (mid, high) if self.starts[mid] <= offset else (low, mid)
        before = self.text[self.starts[low] : offset]
        return [low, len(before.decode("utf-8").encode(self.encoding))]


def dotted(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return base and base + "." + node.attr
    return None


def aliases(tree):
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                root = a.name.split(".")[0]
                names[a.asname or root] = a.name if a.asname else root
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for a in node.names:
                if a.name != "*":
                    names[a.asname or a.name] = module + "." + a.name
                elif module == "flydsl.compiler":
                    names.update(kernel=module + ".kernel", jit=module + ".jit")
    return names


def pattern(node, scopes):
    """A string expression with "*" for each part that is not constant."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(pattern(v, scopes) for v in node.values)
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name) and node.conversion < 0 and not node.format_spec:
        return pattern(node.value, scopes)
    if isinstance(node, ast.Name):
        return next((s[node.id] for s in reversed(scopes) if node.id in s), "*")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return pattern(node.left, scopes) + pattern(node.right, scopes)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        return re.sub(r"%[-+ #0-9.]*[a-zA-Z]", "*", str(node.left.value))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        if isinstance(node.func.value, ast.Constant):
            return re.sub(r"\{[^{}]*\}", "*", str(node.func.value.value))
    return "*"


class Visitor:
    def __init__(self, source):
        self.source = source
        self.names = aliases(source.tree)
        self.found = []
        self.visit(source.tree.body, "", [{}])

    def visit(self, body, prefix, scopes):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.function(node, prefix, scopes)
                self.visit(node.body, prefix + node.name + ".<locals>.", scopes + [{}])
                continue
            if isinstance(node, ast.ClassDef):
                self.visit(node.body, prefix + node.name + ".", scopes + [{}])
                continue
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                scopes[-1][node.targets[0].id] = pattern(node.value, scopes)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                scopes[-1][node.target.id] = pattern(node.value, scopes)
            for field in ("body", "handlers", "cases", "orelse", "finalbody"):
                inner = getattr(node, field, [])
                for part in inner if isinstance(inner, list) else []:
                    if hasattr(part, "body") and not isinstance(part, ast.stmt):
                        self.visit(part.body, prefix, scopes)
                    elif isinstance(part, ast.stmt):
                        self.visit([part], prefix, scopes)

    def function(self, node, prefix, scopes):
        src = self.source
        start = src.offset(node.lineno, node.col_offset)
        ident = DEF.match(src.text, start).end()
        after = ident + len(re.match(rb"[^\s(\[\\#]+", src.text[ident : ident + 4096]).group())
        a = node.args
        arguments = a.posonlyargs + a.args + a.kwonlyargs + [a.vararg, a.kwarg, node.returns]
        arguments += a.defaults + a.kw_defaults
        last = max([after] + [
            src.offset(p.end_lineno, p.end_col_offset)
            for p in arguments + getattr(node, "type_params", []) if p
        ])
        if not any(arguments):
            last = src.text.index(b")", last)
        colon = COLON.match(src.text, last).end()
        decorators = []
        for d in node.decorator_list:
            func = d.func if isinstance(d, ast.Call) else d
            path = dotted(func)
            head, dot, rest = (path or "").partition(".")
            absolute = self.names.get(head, head) + dot + rest
            at = src.text.rindex(b"@", 0, src.offset(d.lineno, d.col_offset))
            end = CLOSING.match(src.text, src.offset(d.end_lineno, d.end_col_offset)).end()
            name = None
            for k in d.keywords if isinstance(d, ast.Call) else []:
                if k.arg == "name":
                    name = re.sub(r"\*+", "*", pattern(k.value, scopes))
            decorators.append({
                "path": path or "",
                "start": src.place(at),
                "end": src.place(end),
                "role": "kernel" if absolute in KERNELS else "launcher" if absolute in LAUNCHERS else "",
                "name": name,
            })
        self.found.append({
            "qualified": prefix + node.name,
            "ident": src.place(ident),
            "identEnd": src.place(after),
            "def": src.place(start),
            "defEnd": src.place(colon),
            "bodyEnd": src.place(src.offset(node.end_lineno, node.end_col_offset)),
            "decorators": decorators,
        })


def main():
    sys.setrecursionlimit(10000)
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
    for line in sys.stdin:
        path = line.rstrip("\n")
        try:
            found = Visitor(Source(path)).found
            found.sort(key=lambda f: f["def"])
            result = {"path": path, "functions": found}
        except (SyntaxError, ValueError, RecursionError, LookupError) as e:
            result = {"path": path, "error": f"{type(e).__name__}: {e}"}
        print(json.dumps(result), file=out, flush=True)


if __name__ == "__main__":
    main()
