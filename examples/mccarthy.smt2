(set-logic HORN)
; McCarthy's function with two calls: the result is 91 up to 101. The last clause is wrong: it excludes 102.
(declare-fun mc (Int Int) Bool)
(assert (forall ((n Int)) (=> (> n 100) (mc n (- n 10)))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (<= n 100) (mc (+ n 11) a) (mc a b)) (mc n b))))
(assert (forall ((n Int) (r Int)) (=> (and (mc n r) (<= n 102) (not (= r 91))) false)))
(check-sat)
