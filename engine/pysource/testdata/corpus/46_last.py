import flydsl.compiler as flyc

@flyc.kernel
def last():
    if x:
        try:
            pass
        finally:
            y = (1,
                 2)  # c
    # c
