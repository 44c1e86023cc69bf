/** Code by language. After `//=` is what the line defines; a line without this mark defines nothing. */
export const symbolSamples: Readonly<Record<string, string>> = {
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
module.exports = function (fastify, options) { //= function exports
module.exports = async (fastify) => { //= function exports
exports = module.exports = function build() { //= function build
module.exports = build;
export default (config) => { //= function default
export default function () { //= function default
export default isSupported && (async (config) => { //= function default
export default isSupported && function (config) { //= function default
export default isSupported && function request(config) { //= function request
export default lease;
Lease.of = (key) => key; //= method of
lease.count = (first + second) * 2;
export default class extends Base { //= class default
  renew() {} //= method renew
}
Lease.prototype.renew = function (a) {} //= method renew
var old = 1; //= variable old
var http = require('node:http');
const isIP = require('node:net').isIP;
defineGetter(Lease.prototype, 'until', function until() { //= method until
Object.defineProperty(Lease, "limit", { //= method limit
  Reflect.defineProperty(lease, 'owner', { get }); //= method owner
Object.defineProperty(exports, '__esModule', { value: true });
function* each() {} //= function each
module.exports = {
  get origin () { //= method origin
    return this.req.origin
  },
  async send (value, { age } = {}) { //= method send
    if (value) {
      return
    } else if (age) {
    }
    for (const one of value) {
    }
    each(value)
  },
  back (url) { //= method back
    items.forEach(function (item) {
    })
  }
}`,
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
