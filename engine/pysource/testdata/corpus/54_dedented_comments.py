import flydsl.compiler as flyc
def f():
  if 1:
    x = 1
  # c
  elif 2:
     y = 2


# c0
  else:
   @flyc.kernel
   def k():
    return 1
   z = 3
