# vim: set fileencoding=cp1252 :
import flydsl.compiler as flyc
x = 'é€'; y = 'é'
@flyc.kernel(name='é')
def café(à): pass
class É: 
    @flyc.kernel
    def méthode(self): return 'é'; x = 'é'
