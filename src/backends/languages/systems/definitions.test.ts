import { testMarkedSamples } from '../../../../test/support/languages/marked-sample.ts';

const samples: Readonly<Record<string, string>> = {
  Go: `
package a
var A, B int = 1, 2 //= variable A; variable B
var (
	C = func() { var local int; const k = 1; _ = local } //= variable C
	D string //= variable D
)
const ( F = iota //= constant F
G ) //= constant G
type T[K any] struct { //= struct T
	x, y int //= field x; field y
	_ [0]func()
	inner struct { z int } //= field inner; field z
}
type I interface { //= interface I
	M(a int) error //= method M
	~int | ~string
}
type (
	X int //= type X
	Y = X //= type Y
)
func (t *T[K]) Meth() { var v int; _ = v } //= method Meth
func (T[K]) Val() {} //= method Val
func _() {}
func Gen[K any](k K) (a int, err error) { f := func() {}; f(); return } //= function Gen`,
  Rust: `
#[derive(Debug)]
pub struct S<'a> { pub(crate) a: &'a str, r#type: u8 } //= struct S; field a; field type
#[cfg(test)] mod tests { #[test] fn t() {} } //= module tests; function t
impl<'a> fmt::Display for S<'a> {
    const K: u8 = 1; //= constant K
    type Out = u8; //= type Out
    fn fmt(&self) {} //= method fmt
}
impl From<a::B> for crate::x::C { fn from() {} } //= method from
impl Tr for &S<'_> { fn by_ref() {} } //= method by_ref
impl<T> Tr for [T] { fn arr() {} } //= method arr
impl Tr for u8 { fn prim() {} } //= method prim
impl a::Tr for Box<dyn Q> { fn boxed() {} } //= method boxed
pub trait Tr<T>: Sized { //= interface Tr
    type Assoc; //= type Assoc
    const C: u8; //= constant C
    fn sig(&self); //= method sig
}
enum E { A, B(u8), D { f: u8 } } //= enum E; constant A; constant B; constant D; field f
extern "C" { fn ffi(a: u8); static EXT: u8; } //= function ffi; variable EXT
macro_rules! mac { () => { fn gen() {} } } //= macro mac
cfg_rt! { pub fn in_macro() {} pub struct InMacro { a: u8 } } //= function in_macro; struct InMacro
pub const unsafe extern "C" fn r#async() {} //= function async
const _: () = ();
fn main() { const LOCAL: u8 = 1; let c = |x| x; quote! { fn made() {} } } //= function main`,
};

testMarkedSamples(samples);
