import { testQualifiedSamples } from '../../../../test/support/languages/marked-sample.ts';

testQualifiedSamples({
  'lease.php': `<?php
namespace Acme; //= module Acme
const TOP = 1, LAST = 2; //= constant TOP; constant LAST
define('ONCE', 1); //= constant ONCE
\\define("TWICE", 2); //= constant TWICE
$closure = function ($x) { return $x; };
#[Attr] function &top(int $a): ?string { static $s = 2; function nested() {} return null; } //= function top; function top.nested
#[Attr, Other(1)]
abstract class Lease extends Base { //= class Lease
  use Held { Held::hold as protected keep; } //= method Lease.keep
  final public const string MAX = 'x', MIN = 'y'; //= constant Lease.MAX; constant Lease.MIN
  private ?int $a = 1, $b; //= field Lease.a; field Lease.b
  public string $hooked { get => $this->a; } //= field Lease.hooked
  public function __construct(private int $p, $plain = 1) {} //= method Lease.__construct; field Lease.p
  abstract public function abs(); //= method Lease.abs
  #[Foo] public static function one(): static { return new class { public function anon() {} }; } //= method Lease.one; method Lease.one.anon
  function two() {} function three() {} //= method Lease.two; method Lease.three
}
interface Held { const X = 1; public function m(); } //= interface Held; constant Held.X; method Held.m
trait Shared { protected $t; } //= class Shared; field Shared.t
enum Suit: string { case Hearts = 'h'; const Wild = self::Hearts; } //= enum Suit; constant Suit.Hearts; constant Suit.Wild
if (!function_exists('late')) { function late() {} } //= function late
?>
<p><?php function inHtml() {} ?></p> //= function inHtml
`,
  'lease.rb': `VERSION = '1' #= constant VERSION
FIRST, SECOND = 1, 2 #= constant FIRST; constant SECOND
module Acme #= module Acme
  LIMIT ||= 3 #= constant Acme.LIMIT
  Base::LIMIT = 4 #= constant Acme.Base.LIMIT
  class Lease < Base #= class Acme.Lease
    attr_accessor :a, :b #= field Acme.Lease.a; field Acme.Lease.b
    private attr_reader :c #= field Acme.Lease.c
    attr :d #= field Acme.Lease.d
    mattr_writer :e #= field Acme.Lease.e
    class_attribute :f, default: :none #= field Acme.Lease.f
    def initialize(x); @x = x; end #= method Acme.Lease.initialize
    def self.build = new(1) #= method Acme.Lease.build
    def four=(v); end #= method Acme.Lease.four=
    def [](i); end #= method Acme.Lease.[]
    def <=>(other) = 0 #= method Acme.Lease.<=>
    private def secret?; end #= method Acme.Lease.secret?
    def Lease.single; end #= method Acme.Lease.single
    class << self
      def meta; end #= method Acme.Lease.meta
    end
    alias old four= #= method Acme.Lease.old
    alias :older :four= #= method Acme.Lease.older
    alias_method :oldest, :four= #= method Acme.Lease.oldest
    define_method(:dynamic) { |x| x } #= method Acme.Lease.dynamic
    Point = Struct.new(:px, :py) do #= class Acme.Lease.Point; field Acme.Lease.Point.px; field Acme.Lease.Point.py
      def length; end #= method Acme.Lease.Point.length
    end
    Failure = Class.new(StandardError) #= class Acme.Lease.Failure
    Pair = Data.define(:left) #= class Acme.Lease.Pair; field Acme.Lease.Pair.left
    Mixin = Module.new { def mixed; end } #= module Acme.Lease.Mixin; method Acme.Lease.Mixin.mixed
  end
  class ::Top; end #= class Acme.Top
  class Bar::Baz; end #= class Acme.Bar.Baz
end
def top; local = 1; def inner; end; end #= function top; function top.inner
`,
});
