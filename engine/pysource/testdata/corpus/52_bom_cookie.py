# coding: utf-8
import flydsl.compiler as flyc
@flyc.kernel
def k(): pass
