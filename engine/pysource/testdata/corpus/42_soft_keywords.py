import flydsl.compiler as flyc

class_ = 1; define = 2; defer = 3; async_ = 4; importx = 5
match = 1; case = 2; type = 3; _ = 4
match(x)
match[0]
print(match, case)
match: int = 3
case: int = 3
case.x = 4
match[0]: int = 3
match (x):
    case [a, b, *rest] if a > b:
        @flyc.kernel
        def k(): pass
    case {"name": name, **kw}: pass
    case str() | int() as z:
        pass
    case Point(x=0, y=q): n = "q"
    case -1 | 1.5 | None | "a" "b":
        @flyc.kernel(name=n)
        def k2(): pass
x = [
    def_ for def_ in y
    if def_
] if 0 else [
    classes,
    returned,
    importer,
] if 0 else 0
