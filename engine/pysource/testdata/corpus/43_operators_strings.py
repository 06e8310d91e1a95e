import flydsl.compiler as flyc

x = 0xdef; y = 1_000; z = 1.e5; w = 1if x else 2; v = [0x1for x in y]
a @= b
x = (a
     @ b
     @flyc.kernel
     - c)
def not1(): pass
y = {1: 2, **{3: 4}, 5: {6}}
z = y[1:2, ::3] if y else ...
f(*a, **b)
def g(*, a): return a
if (n := 10) > 5: pass
s = 'it''s' "a\
b" r'\\' '\\'
t = b'\'' B"\"" rb'\'' Rb"\\" bR'''x'''
u = """a\""" b""" 'c' """"d" """
@flyc.kernel
def k(): return """
@flyc.kernel
def no(): pass
"""
@flyc.kernel
def k2():
    return {
  'a': 1,
}
@flyc.kernel
def k3():
    x = 1 + \
2
def z(): pass
