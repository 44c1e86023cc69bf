import { testQualifiedSamples } from '../../../../test/support/languages/marked-sample.ts';

testQualifiedSamples({
  'Lease.cs': `namespace Acme; //= module Acme
[Serializable, Obsolete("x")] public abstract partial class Lease<T>(int given) : Base(given) //= class Lease
{
    public const int Max = 1, Min = 2; //= constant Lease.Max; constant Lease.Min
    private int a, b; //= field Lease.a; field Lease.b
    public int Full { get { int local = 1; return local; } set { a = value; } } //= field Lease.Full
    public event EventHandler Changed; //= field Lease.Changed
    event EventHandler IHeld.Custom { add { } remove { } } //= field Lease.Custom
    public int this[int i] => a; //= field Lease.this
    public static Lease<T> operator +(Lease<T> x, Lease<T> y) => x; //= method Lease.+
    public static bool operator true(Lease<T> x) => true; //= method Lease.true
    public static implicit operator int(Lease<T> x) => 1; //= method Lease.implicit
    Lease() : this(1) { } //= method Lease.Lease
    ~Lease() { } //= method Lease.Lease
    [Fact]
    public async Task<R> One<R>(T t) { int Local(int q) => q; const int c = 1; return default; } //= method Lease.One; function Lease.One.Local
    void IHeld.Explicit() { } //= method Lease.Explicit
    partial void Part(); //= method Lease.Part
    delegate int Handler(int x); //= type Lease.Handler
    enum E : byte { X, [Foo] Y = 2 } //= enum Lease.E; constant Lease.E.X; constant Lease.E.Y
    interface IHeld { void M(); } //= interface Lease.IHeld; method Lease.IHeld.M
#if DEBUG
    Lease(string name) { } //= method Lease.Lease
#endif
}
readonly record struct Point(int X, int Y); //= struct Point; field Point.X; field Point.Y
record class Named(string Name) : Base(Name); //= class Named; field Named.Name
static class Extensions { //= class Extensions
    public static int Length(this string s) => 1; //= method Extensions.Length
    extension(string s) { public int Twice() => 2; } //= method Extensions.Twice
}
interface ILogger //= interface ILogger
{
    void Verbose<T>(string template, T value) //= method ILogger.Verbose
#if DEFAULTS
        => Write(Level.Verbose, template, value)
#endif
    ;
    void Error() //= method ILogger.Error
#if DEFAULTS
    {
        if (Binds(template, out var parsed)) { Write(parsed); }
    }
#endif
}
`,
  'Broken.cs': `public class Broken : A //= class Broken
#if ASYNC
, B
#endif
{
    void One() { } //= method One
    void Two() {
`,
});
