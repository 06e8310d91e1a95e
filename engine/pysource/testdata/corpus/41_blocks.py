import flydsl.compiler as flyc

if x: y = 1; z = 2
else: import flydsl.compiler as fl3
@fl3.kernel
def k(): pass
for i in range(3): pass
else:
    @flyc.kernel
    def in_else(): pass
while lambda: x: break
if lambda: 1: pass
elif (lambda: 2)(): pass
class A(object, metaclass=type): x: int = 1; y = 2
class B:
    class C:
        async def f(self):
            async with a as b, c as (d, e):
                @flyc.kernel
                async def deep(self): await x
    @flyc.kernel
    def m(self): ...; ...
try: pass
except (A, B) as e: pass
else:
    pass
finally:
    @flyc.kernel
    def fin(): pass
with open(a) as b, \
     open(c) as d:
    @flyc.kernel
    def w(): pass
