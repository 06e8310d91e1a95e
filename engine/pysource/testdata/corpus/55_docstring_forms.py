import flydsl.compiler as flyc
x = """
"""; y = 1
@flyc.kernel
def k(): """a""" """b
c"""; x = """d
e""" + """f""" if 1 else """g
h"""
@flyc.kernel
def k2(a="""
)
""", b=(
)): return a if """x
""" in b else """y"""
