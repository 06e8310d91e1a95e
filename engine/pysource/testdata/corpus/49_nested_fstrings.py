import flydsl.compiler as flyc

a = f"{"""x
@flyc.kernel
def no(): pass
"""}" f'{'a' 'b'}' f"{f"{f"{f"{1}"}"}"}"
b = f"{'\n'}" f"{x # c }
}" f'{
 d["a"]
 :>10}'
c = f"{x:{f"{y}"}}" f"{'}'}" f"{"{"}" f'{"'"}'
e = f"{d['a']["b"]!r:>{d["w"]}}"
@flyc.kernel(name=f"n_{d["x"]}_{f"{y}"}")
def k[T: int = str, *Ts = *tuple[int], **P = [int]](a: T = f"{"x"}") -> f"{"y"}":
    type A[B] = C
    return 1
class K[T](Base):
    @flyc.kernel
    async def m[U](self): pass
