import { describe, expect, it } from 'vitest';
import { languageNames } from '../../language.ts';
import { symbolKinds } from '../../port.ts';
import { symbolRules } from './languages.ts';
import { openSymbolExtraction } from './symbol-extraction.ts';

const extraction = openSymbolExtraction();

function symbolsOf(language: string, lines: readonly string[]): string[] {
  const found: string[] = [];
  extraction.each(language, Buffer.from(lines.join('\n')), (line, kind, name) => {
    found.push(`${line} ${kind} ${Buffer.from(name, 'latin1').toString()}`);
  });
  return found;
}

/** Code by language. After `//=` is what the line defines; a line without this mark defines nothing. */
const samples: Readonly<Record<string, string>> = {
  TypeScript: `
import { a } from 'b';
export default async function run<T>(a: T) { //= function run
  const local = 1;
  if (local) return call(
}
export abstract class Lease<T> extends Base { //= class Lease
  static readonly #limit = 3; //= field limit
  constructor(private readonly clock: Clock) { //= method constructor
    super();
  }
  async renew( //= method renew
    key: string,
  ): Promise<void> {
    for (const x of y) { use(x); }
  }
  get until(): number { return 1; } //= method until
  onClick = async (event: Event) => {}; //= method onClick
}
export class Held< //= class Held
  K extends string = string,
> {
  readonly key: K; //= field key
  find< //= method find
    T,
  >(key: T): void {}
}
export interface Clock { //= interface Clock
  now(): number; //= method now
}
export type Ids = readonly string[]; //= type Ids
class Badly { //= class Badly
  indented() { //= method indented
  if (a) { call(); }
  return call(a);
  }
}
declare const enum Color { Red } //= enum Color
export const limit = 5; //= constant limit
export const acquire = async (key: string) => key; //= function acquire
let counter = 0; //= variable counter
function outer() { //= function outer
  const step = (count: number): void => { //= function step
    let inner = async function () {}; //= function inner
  };
  const patch = ( //= function patch
  ) => {};
  const sum = (first + second) * 2, called = call((item) => item);
}
namespace Inner { //= module Inner
  export const deep = 1; //= constant deep
}
/*
function commentedOut() {}
*/`,
  JavaScript: `
module.exports.start = function () {} //= function start
Lease.prototype.renew = function (a) {} //= method renew
var old = 1; //= variable old
function* each() {} //= function each`,
  Python: `
"""Module text:
class NotMe(object): of the documentation
"""
LIMIT = 5 //= constant LIMIT
logger: Logger = get() //= variable logger
class Lease(Base): //= class Lease
    """Documentation.

    def not_me(self): of it
    """
    key: str //= field key
    limit = 3 //= field limit

    @property
    def until(self) -> int: //= method until
        local = 1
        return local

    async def renew( //= method renew
        self,
    ) -> None:
        pass

async def run(): //= function run
    def inner(): //= function inner
        pass`,
  Go: `
package lease

const Limit = 5 //= constant Limit
const (
	First = iota //= constant First
	Second //= constant Second
)
type Lease struct { //= struct Lease
	Key string //= field Key
}
type Clock interface { //= interface Clock
	Now() time.Time //= method Now
}
type Set[T any] map[T]bool //= type Set
func (l *Lease) Renew(ctx context.Context) error { //= method Renew
	x := 1
	return nil
}
func Acquire[T any](key T) {} //= function Acquire
var _ Clock = x`,
  Java: `
package a.b;
public final class Lease<T> //= class Lease
        implements Clock {
    private static final int LIMIT = 5; //= constant LIMIT
    private final Map<String, List<T>> keys = new HashMap<>(); //= field keys
    public Lease(String key) { //= method Lease
        this.key = make(key);
        return;
    }
    @Override
    public <R> Map<String, R> renew(R by) throws Expired { //= method renew
    }
    void badly() { //= method badly
    if (a) { call(); }
    return call(a);
    }
    enum Color { //= enum Color
        RED(1), //= constant RED
        GREEN; //= constant GREEN
    }
}
@interface Marker {} //= interface Marker`,
  Rust: `
pub(crate) const LIMIT: usize = 5; //= constant LIMIT
static mut COUNT: u32 = 0; //= variable COUNT
pub struct Lease<'a> { //= struct Lease
    pub key: &'a str, //= field key
}
pub enum Color { //= enum Color
    Red, //= constant Red
}
impl<'a> Lease<'a> {
    pub async unsafe fn renew(&self) {} //= method renew
}
pub trait Clock { //= interface Clock
    fn now(&self) -> u64; //= method now
}
macro_rules! lease { //= macro lease
}
mod tests { //= module tests
    fn checks() {} //= function checks
}
type Ids = Vec<u8>; //= type Ids`,
  C: `
#define LIMIT 5 //= macro LIMIT
typedef struct lease lease_t; //= type lease_t
struct lease { //= struct lease
    int key;
};
int declared(int a);
static int renew(struct lease *l) { //= function renew
    if (l) return call(l);
}
char *
name_of(int a) //= function name_of
{
}`,
  'C++': `
namespace acme { //= module acme
class Lease final : public Base { //= class Lease
 public:
  int renew() const { //= method renew
    return 1;
  }
  int declared();
};
}
int acme::Lease::until(int a) { //= function until
}
using Ids = std::vector<int>; //= type Ids`,
  'C#': `
namespace Acme.Leases; //= module Acme.Leases
public sealed class Lease : Base //= class Lease
{
    public const int Limit = 5; //= constant Limit
    public string Key { get; set; } //= field Key
    public async Task<int> Renew(int by) //= method Renew
    {
        return await Call(by);
    }
}
public interface IClock { } //= interface IClock`,
  Ruby: `
module Acme //= module Acme
  LIMIT = 5 //= constant LIMIT
  class Lease < Base //= class Lease
    attr_reader :key //= field key
    def self.acquire(key) //= method acquire
    end
    def expired? //= method expired?
    end
  end
end`,
  PHP: `
<?php
interface Clock { //= interface Clock
}
final class Lease extends Base { //= class Lease
    const LIMIT = 5; //= constant LIMIT
    private ?string $key = null; //= field key
    public static function acquire(string $key): self { //= method acquire
    }
}
function renew() { //= function renew
}`,
  Kotlin: `
data class Lease( //= class Lease
    val key: String, //= field key
) : Base() {
    override suspend fun renew(by: Int) { //= method renew
        val local = 1
    }
}
fun <T> List<T>.second(): T = this[1] //= function second
object Leases { //= module Leases
    const val LIMIT = 5 //= constant LIMIT
}
interface Clock //= interface Clock`,
  Swift: `
public final class Lease: Base { //= class Lease
    private let key: String //= field key
    func renew(by: Int) async { //= method renew
    }
}
protocol Clock {} //= interface Clock
extension Lease {
    static func acquire() {} //= method acquire
}
enum Color { case red } //= enum Color`,
  Scala: `
sealed trait Clock //= interface Clock
case class Lease(key: String) extends Clock { //= class Lease
  private[acme] def renew(by: Int): Unit = { //= method renew
    val local = 1
  }
}
object Leases { //= module Leases
  val limit = 5 //= field limit
}`,
  Shell: `
LIMIT=5 //= variable LIMIT
function renew { //= function renew
  local x=1
}
acquire() { //= function acquire
  call x
}`,
  'Protocol Buffer': `
message Lease { //= struct Lease
  string key = 1;
  enum Color { RED = 0; } //= enum Color
}
service Leases { //= interface Leases
  rpc Renew(Lease) returns (Lease); //= method Renew
}`,
  SQL: `
CREATE TABLE IF NOT EXISTS app."leases" ( //= struct leases
  key text
);
create or replace function renew_lease(a int) //= function renew_lease
CREATE UNIQUE INDEX leases_key ON leases (key); //= other leases_key`,
  HCL: `
resource "aws_instance" "web" { //= struct web
  ami = "x"
}
variable "region" {} //= variable region
locals {
  limit = 5 //= constant limit
}`,
  Lua: `
local limit = 5 //= variable limit
function Lease:renew(by) //= function renew
end
local function acquire() end //= function acquire
M.release = function() end //= function release`,
  Elixir: `
defmodule Acme.Lease do //= module Lease
  @type id :: integer //= type id
  def renew(lease), do: lease //= function renew
  defp expired?(lease) do //= function expired?
  end
  defmacro lease(x) do //= macro lease
  end
end`,
};

describe('definitions of', () => {
  it.each(Object.keys(samples))('%s', (language) => {
    const lines = samples[language]!.split('\n');
    const expected = lines.flatMap((line, index) => {
      const mark = line.split(' //= ')[1];
      return mark === undefined ? [] : [`${index + 1} ${mark}`];
    });
    const code = lines.map((line) => line.split(' //= ')[0]!);
    expect(symbolsOf(language, code)).toEqual(expected);
    expect(
      symbolsOf(
        language,
        code.map((line) => `${line}\r`),
      ),
      'with carriage returns',
    ).toEqual(expected);
  });
});

describe('definitions', () => {
  it('are supported for languages that files can have, by the same names', () => {
    expect(Object.keys(symbolRules).filter((language) => !languageNames.includes(language))).toEqual([]);
    expect(Object.keys(symbolRules).length).toBeGreaterThanOrEqual(30);
  });

  it('are none in an unsupported language, even if its name is that of an object property', () => {
    expect(symbolsOf('Markdown', ['function x() {}'])).toEqual([]);
    expect(symbolsOf('constructor', ['function x() {}'])).toEqual([]);
  });

  it.each([
    ['C++', 'class basic_json // NOLINT(x); {', 'class basic_json'],
    ['C++', 'struct S /* x; y */ {', 'struct S'],
    ['C++', 'struct S /* the rest follows', 'struct S'],
    ['C++', 'namespace n // c', 'module n'],
    ['C++', 'enum class E // c', 'enum E'],
    ['C++', 'int renew(int by) // not yet; see below', 'function renew'],
    ['C++', 'class API_EXPORT Lease // c', 'class Lease'],
    ['C++', 'class C final : D { // c', 'class C'],
    ['C++', 'struct S final {', 'struct S'],
    ['C++', 'class API final', 'class API'],
    ['C', 'union value /* c */', 'struct value'],
    ['TypeScript', 'export interface Clock // c', 'interface Clock'],
    ['TypeScript', 'export type Ids // c', 'type Ids'],
    ['TypeScript', 'let counter // c', 'variable counter'],
    ['TypeScript', "const home = 'https://x'; // c", 'constant home'],
    ['Protocol Buffer', 'message Lease // c', 'struct Lease'],
    ['Go', 'type Lease struct { // c', 'struct Lease'],
  ])('of %s are found despite a comment after them or final: %s', (language, line, definition) => {
    expect(symbolsOf(language, [line, '{'])).toEqual([`1 ${definition}`]);
  });

  it.each([
    ['Java', ['class A {', '  int count // c', '    = 1;'], ['1 class A', '2 field count']],
    ['Java', ['enum A {', '  RED // c', '}'], ['1 enum A', '2 constant RED']],
    ['Rust', ['enum A {', '    Red // c', '}'], ['1 enum A', '2 constant Red']],
    ['C#', ['class A', '{', '    public string Key // c', '    {'], ['1 class A', '3 field Key']],
    [
      'Python',
      ['class A:  # c', '    key: int  # c', '    def f(self):  # c'],
      ['1 class A', '2 field key', '3 method f'],
    ],
  ])('of members in %s are found despite a comment after them', (language, lines, definitions) => {
    expect(symbolsOf(language, lines)).toEqual(definitions);
  });

  it('may have non-ASCII names', () => {
    expect(symbolsOf('Go', ['func Größe() {}', 'func 大きさ() {}'])).toEqual([
      '1 function Größe',
      '2 function 大きさ',
    ]);
  });

  it('are not found on lines of more than 512 characters', () => {
    const line = `function f(${'a, '.repeat(200)}) {}`;
    expect(symbolsOf('JavaScript', [line, 'function g() {}'])).toEqual(['2 function g']);
  });

  it('are found on a last line without a newline, but not after an unclosed comment', () => {
    expect(symbolsOf('Go', ['func a() {}'])).toEqual(['1 function a']);
    expect(symbolsOf('Go', ['/* never closed', 'func a() {}'])).toEqual([]);
    expect(symbolsOf('Go', ['/* closed */', 'func a() {}'])).toEqual(['2 function a']);
    expect(symbolsOf('Go', [])).toEqual([]);
  });

  it('have kinds that fit into four bits', () => {
    expect(symbolKinds.length).toBeLessThanOrEqual(16);
  });

  // The patterns run on untrusted text: none may take long on any text.
  it('of hostile text are extracted in limited time', () => {
    const words = [
      'export default async ',
      'public static final ',
      'a a ',
      'pub(crate) ',
      'template <',
      '((((',
      'const a:',
      'A<B, ',
      'x = ',
      'typedef int ',
    ];
    for (const language of Object.keys(symbolRules)) {
      for (const word of words) {
        const line = `${word.repeat(Math.ceil(500 / word.length)).slice(0, 500)}\n`;
        const text = Buffer.from(`class A {\n${line.repeat(200)}`);
        const started = process.cpuUsage();
        extraction.each(language, text, () => undefined);
        const { user, system } = process.cpuUsage(started);
        expect((user + system) / 1000, `${language}: ${word}`).toBeLessThan(300);
      }
    }
  });
});
