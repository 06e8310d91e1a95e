import flydsl.compiler as flyc
def f():
    @flyc.kernel
    def k(): pass
     @flyc.kernel
    def k2(): pass

   
	
    @flyc.kernel
    def k3():
        pass

        # c
   # d


    @flyc.kernel
    def k4():
    	pass
