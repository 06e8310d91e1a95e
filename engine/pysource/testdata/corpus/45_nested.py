import flydsl.compiler as flyc

def a():
    global g1
    @flyc.kernel
    def g2(): pass
    def b():
        nonlocal_ = 1
        class C:
            def d(self):
                class E:
                    @flyc.kernel
                    def k(self): pass
                return E
if True:
  if True:
    @flyc.kernel
    def i2(): pass
  else:
        @flyc.kernel
        def i3():
                  pass
@flyc.kernel
def last():
    pass