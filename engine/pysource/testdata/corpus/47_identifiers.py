import flydsl.compiler as flyc

def ident_́x(): pass
@flyc.kernel
def ﬁx(): pass
@flyc.kernel(name="é\u00e9\xe9")
def σς_1(𝒳): return f"{𝒳!r}"
class Ñ: 
    @flyc.kernel
    def µ(self): pass
