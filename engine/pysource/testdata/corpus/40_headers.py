import flydsl.compiler as flyc

@flyc.kernel
def k(a=lambda x: {1: 2}, *, b=[1][0:1], c: "x:y" = {"a": 1}) -> (lambda: 0):
    pass
@flyc.kernel
def k2(a=lambda: 0) -> lambda: int: pass
@flyc.kernel
def k3(): x = 1; y = 2;
@flyc.kernel
def k4(): x = 1; y = 2 ; # c
@flyc.kernel(  # comment (
    # another "
    name=(  # x
        "a"  # y
        f"{(lambda x: x)(1)}"
    ),
    known_block_size=[x for x in (lambda: (1, 2, 3))()],  # ]
)
# between
def k5(
    a,  # )
    /,
    b: int = (1),
    *args: "int",
    c=3,
    **kw,
) -> "dict[str, int]":  # tail :
    """doc"""
    def inner():
        return 1

    # trailing comment

# dedented comment
x = 1
