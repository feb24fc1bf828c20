(set-logic HORN)
; A counter that moves by 2 never has an odd value.
(declare-fun inv (Int) Bool)
(assert (inv 0))
(assert (forall ((x Int)) (=> (inv x) (inv (+ x 2)))))
(assert (forall ((x Int)) (=> (and (inv x) (= (mod x 2) 1)) false)))
(check-sat)
