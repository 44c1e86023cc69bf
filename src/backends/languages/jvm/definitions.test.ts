import { testDefinitions } from '../../../../test/support/graph/definitions.ts';

testDefinitions({
  'Lease.java': `package acme;
@Deprecated @SuppressWarnings({"a", "b"}) public abstract class Lease<T extends Comparable<T>> { //= class Lease
  public static final int MAX = 1, MIN = 2; //= constant Lease.MAX, constant Lease.MIN
  @Inject final static
  String NAME = "x"; //= constant Lease.NAME
  private int a, b[]; //= field Lease.a, field Lease.b
  static { int local = 3; }
  @Override
  @Nullable(value = "x")
  public <R> R one(T t) { return null; } int two() { return 1; } //= method Lease.one, method Lease.two
  abstract void three(); //= method Lease.three
  Lease() {} //= method Lease.Lease
  class Inner { void four() { class Local { void five() {} } } } //= class Lease.Inner, method Lease.Inner.four, class Lease.Inner.four.Local, method Lease.Inner.four.Local.five
  interface I { int K = 1; default void six() {} } //= interface Lease.I, constant Lease.I.K, method Lease.I.six
  enum E { X, Y { void seven() {} } } //= enum Lease.E, constant Lease.E.X, constant Lease.E.Y, method Lease.E.Y.seven
  record P(int x, @Foo String... y) { P { } } //= class Lease.P, field Lease.P.x, field Lease.P.y, method Lease.P.P
  @interface Ann { String value() default "x"; } //= interface Lease.Ann, method Lease.Ann.value
  Runnable r = new Runnable() { public void run() {} }; //= field Lease.r, method Lease.r.run
  Supplier<String> s = () -> { String local = "x"; return local; }; //= field Lease.s
}
`,
  'Broken.java': `class Broken { //= class Broken
  void one() {} //= method one
  void two() { f(() -> { x = " }; }
  int a
`,
});
