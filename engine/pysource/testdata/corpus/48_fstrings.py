import flydsl.compiler as flyc

a = f"{'a' if x else 'b'}" f'{x!r}' f"{x:{y}}" f"{{}}" f"{x}}}{{" rf"\{x}" f"\{x}" f"\\{x}"
b = f"{x:%Y-%m-%d}" f"{x:{'{'}>10}" f"{(lambda x: x)}" f"{ {1: 2}[1] }" f'{x[":"]}'
c = f"""{x}
{
y
}
@flyc.kernel
def no(): pass
{x:>{
w}}"""
d = f"\N{GREEK SMALL LETTER MU}{x}\N{DIGIT ONE}" f"{x!s:}" f"{x = }" f"{x=!r:^20}"
@flyc.kernel
def k(): pass
@flyc.kernel(name=f"{x=}_{x = !r}_{x!=y}_{x==y}_{x<=y}_z")
def k2(): pass
@flyc.kernel(name=f"{x:{y}}_{{{x}}}_" "%d" f"{{")
def k3(): pass
