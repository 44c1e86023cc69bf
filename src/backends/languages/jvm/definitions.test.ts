import { testQualifiedSamples } from '../../../../test/support/languages/marked-sample.ts';

testQualifiedSamples({
  'Lease.java': `package acme;
@Deprecated @SuppressWarnings({"a", "b"}) public abstract class Lease<T extends Comparable<T>> { //= class Lease
  public static final int MAX = 1, MIN = 2; //= constant Lease.MAX; constant Lease.MIN
  @Inject final static
  String NAME = "x"; //= constant Lease.NAME
  private int a, b[]; //= field Lease.a; field Lease.b
  static { int local = 3; }
  @Override
  @Nullable(value = "x")
  public <R> R one(T t) { return null; } int two() { return 1; } //= method Lease.one; method Lease.two
  abstract void three(); //= method Lease.three
  Lease() {} //= method Lease.Lease
  class Inner { void four() { class Local { void five() {} } } } //= class Lease.Inner; method Lease.Inner.four; class Lease.Inner.four.Local; method Lease.Inner.four.Local.five
  interface I { int K = 1; default void six() {} } //= interface Lease.I; constant Lease.I.K; method Lease.I.six
  enum E { X, Y { void seven() {} } } //= enum Lease.E; constant Lease.E.X; constant Lease.E.Y; method Lease.E.Y.seven
  record P(int x, @Foo String... y) { P { } } //= class Lease.P; field Lease.P.x; field Lease.P.y; method Lease.P.P
  @interface Ann { String value() default "x"; } //= interface Lease.Ann; method Lease.Ann.value
  Runnable r = new Runnable() { public void run() {} }; //= field Lease.r; method Lease.r.run
  Supplier<String> s = () -> { String local = "x"; return local; }; //= field Lease.s
}
`,
  'Broken.java': `class Broken { //= class Broken
  void one() {} //= method one
  void two() { f(() -> { x = " }; }
  int a
`,
  'Lease.kt': `package acme
const val TOP = 1 //= constant TOP
val topVal by lazy { val local = 3; local } //= variable topVal
private val (first, second) = pair //= variable first; variable second
typealias Handler<T> = (T) -> Unit //= type Handler
inline fun <reified T> String?.ext(block: () -> T): T { fun nested() {} //= method String.ext; function String.ext.nested
  val local = 1; return block() }
suspend operator fun Foo.plus(other: Foo): Foo = this //= method Foo.plus
fun \`with spaces\`(x: Int) = x //= function with spaces
@Deprecated("x") @Foo abstract class Lease<T : Any> private constructor(val p: Int, plain: Int) : Base(p) { //= class Lease; field Lease.p
  constructor(x: Int) : this(x, 1) { val local = 1 } //= method Lease.constructor
  init { val local = 2 }
  override val held: Int //= field Lease.held
    get() = 1
  @Test
  override fun one() { helper() } //= method Lease.one
  abstract fun abs() //= method Lease.abs
  companion object {
    const val MAX = 1 //= constant Lease.MAX
    fun make() {} //= method Lease.make
  }
  inner class Inner { //= class Lease.Inner
    fun two() {} //= method Lease.Inner.two
  }
  val anon = object : Runnable { //= field Lease.anon
    override fun run() {} //= method Lease.anon.run
  }
}
data object Single : S() //= class Single
enum class E(val v: Int) { X(1), @Foo Y(2) } //= enum E; field E.v; constant E.X; constant E.Y
fun interface Held { //= interface Held
  fun three() //= method Held.three
}
@Foo
annotation class Marker //= interface Marker
annotation class Ann(val value: String) //= interface Ann; field Ann.value
`,
  'Lease.scala': `package acme
package object pkg { val held = 1 } //= class pkg; field pkg.held
val topVal = { val local = 1; local } //= variable topVal
opaque type Id = Int //= type Id
def top(x: Int) = x //= function top
@deprecated("x") abstract class Lease[T <: B](val p: Int, plain: Int)(implicit ev: X) extends Base[T](p) { //= class Lease; field Lease.p
  val a, b = 1 //= field Lease.a; field Lease.b
  val (c, d) = pair //= field Lease.c; field Lease.d
  @inline final override def one = { def nested() = 1; val local = 1; local } //= method Lease.one; function Lease.one.nested
  def + (other: Lease): Lease = other //= method Lease.+
  def \`quoted name\` = 1 //= method Lease.quoted name
  def abs: Int //= method Lease.abs
  val absVal: Int //= field Lease.absVal
  implicit class Rich(s: String) { def rich = 1 } //= class Lease.Rich; method Lease.Rich.rich
}
object Lease { case class In(x: Int); case object None } //= class Lease; class Lease.In; field Lease.In.x; class Lease.None
sealed trait Held { def m(): Int } //= interface Held; method Held.m
enum Color(val rgb: Int) { case Red extends Color(1); case Green, Blue; case Two(x: Int) } //= enum Color; field Color.rgb; constant Color.Red; constant Color.Green; constant Color.Blue; class Color.Two
given order: Ord[Int] with //= class order
  def compare(x: Int) = 1 //= method order.compare
given other: Ord[String] = new Ord //= variable other
extension (s: String) def single = 1 //= method String.single
class Indented: //= class Indented
  def two: Int = //= method Indented.two
    val local = 1
    local
  object Inner: //= class Indented.Inner
    val k = 1 //= field Indented.Inner.k
`,
});
