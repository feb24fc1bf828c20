//! The laws of stars that one decomposition makes alone, without domains: K1 and K2 must hold for it by itself.
