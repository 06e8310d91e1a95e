import flydsl.compiler as flyc
@flyc.kernel(name="""a
b""")
def k():
    """x

    """


@flyc.kernel
def k2(): return (1,
 2)
