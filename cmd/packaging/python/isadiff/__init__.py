"""isadiff compares the resources of AMD GPU kernels; this package carries its binary."""
