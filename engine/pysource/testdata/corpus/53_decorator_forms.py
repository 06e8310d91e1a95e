import flydsl.compiler as flyc

@flyc.kernel
@flyc.kernel(name="b")
def two(): pass
@staticmethod
@(yield_)
@x.y.z(1)(2)
@a[0].b
@(a)
@(a.b)(1)
@((a).b)
@"s".join
@lambda f: f
@flyc . kernel
def many(): pass
@x if y else z
@a or b
@[a][0]
@{1: 2}[1]
@(a := b)
@not_
@-a
@a.b.c()
def odd(): pass
