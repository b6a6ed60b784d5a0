// Axioms are about functions that nothing else is known of.
DECLARE_UF_UNARY(twice, int, int);
__axiom(twice(0) == 0)
__axiom(twice(1) == 2)

kernel void right_by_an_axiom(global int *a) {
  a[get_global_id(0)] = twice(1);
  __assert(twice(1) == 2);
}
kernel void wrong_by_no_axiom(global int *a) {
  a[get_global_id(0)] = twice(2);
  __assert(twice(2) == 4);
}
