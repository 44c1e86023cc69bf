import { afterAll, expect, it } from 'vitest';
import { silentLog } from '../../../test/support/silent-log.ts';
import { ParseQueue } from './port.ts';

/** The lines of a file, each with the definitions that it has: `kind qualified.name`. */
type Lines = readonly (readonly [line: string, ...definitions: string[]])[];

const ecmascript: Lines = [
  ['export default class extends Base {', 'class default'],
  ['  #secret = async () => 1;', 'method default.secret'],
  ['  static limit = 5;', 'field default.limit'],
  ["  'quoted-name'() {}", 'method default.quoted-name'],
  ['  *[Symbol.iterator]() { const local = 1; let other; }', 'method default.[Symbol.iterator]'],
  ['}'],
  ['const one = 1, { two, key: three, ...rest } = take();', ...constants('one two three rest')],
  ['let four = 4;', 'variable four'],
  ["const { five, key: six } = require('./five.js');"],
  ['const alias = one;', 'constant alias'],
  ['export const open = async () => { const inner = () => 1; };', 'function open', 'function open.inner'],
  ['const close = function close() {};', 'function close'],
  ['const Box = class Hidden { put() {} };', 'class Box', 'class Box.Hidden', 'method Box.Hidden.put'],
  [
    "const api = { get() {}, 'put-it': () => 1, '*.ts': () => 1 };",
    'constant api',
    ...methods('api.get api.put-it'),
  ],
  ['Lease.prototype.renew = function () {};', 'method Lease.renew'],
  ['app.handle = function handle() {};', 'function handle'],
  ["app['listen'] = function* () {};", 'function listen'],
  ['app.Router = class { use() {} };', 'class Router', 'method Router.use'],
  ["Object.defineProperty(app, 'plain', { value: 1 });"],
  ["Object.defineProperty(app, 'until', { get: () => 1 });", 'function until', 'method until.get'],
  ['pipe.use(function step() {}, class Given {});', 'function step', 'class Given'],
  ['function* walk() {}', 'function walk'],
];

const typescript: Lines = [
  ['@decorate() export abstract class Lease {', 'class Lease'],
  ['  declare name: string;', 'field Lease.name'],
  ['  private static of = <T,>(x: T) => x;', 'method Lease.of'],
  ['  renew(by: string): void;'],
  ['  renew(by: unknown) {}', 'method Lease.renew'],
  ['  abstract until(): number;', 'method Lease.until'],
  ['  constructor(readonly clock: Clock, by: number,', 'method Lease.constructor', 'field Lease.clock'],
  ['    public a?: string, private readonly b = 1) {}', 'field Lease.a', 'field Lease.b'],
  ['}'],
  [
    "enum Color { Red, 'dark-red', Green = 2 }",
    'enum Color',
    ...constants('Color.Red Color.dark-red Color.Green'),
  ],
  [
    "interface Held { 'a-b': number; renew(): void }",
    'interface Held',
    'field Held.a-b',
    'method Held.renew',
  ],
  [
    'type Options = { limit: number; stop(): void };',
    'type Options',
    'field Options.limit',
    'method Options.stop',
  ],
  ['declare function declared(x: number): void;', 'function declared'],
  ['declare var first: string, second: string;', 'variable first', 'variable second'],
  ["declare module 'pkg' { const inside: number; }", 'constant inside'],
  ['namespace A.B { export const c = 1; let d; }', 'module A.B', 'constant A.B.c', 'variable A.B.d'],
];
const python: Lines = [
  ['LIMIT, other = 1, 2', 'constant LIMIT', 'variable other'],
  ['square = lambda n: n * n', 'function square'],
  ['declared: int', 'variable declared'],
  ['type Pair[K] = tuple[K, K]', 'type Pair'],
  ['try:'],
  ['    text = unicode', 'variable text'],
  ['except NameError:'],
  ['    text = str', 'variable text'],
  ['if True:'],
  ['    def on_some(): local = 1', 'function on_some'],
  ['@dataclass'],
  ['class Lease(Base):', 'class Lease'],
  ['    key: str', 'field Lease.key'],
  ['    RED, GREEN = 1, 2', 'field Lease.RED', 'field Lease.GREEN'],
  ['    until = lambda self: 1', 'method Lease.until'],
  ['    @property'],
  ['    async def name(self): return 1', 'method Lease.name'],
  ['    class Meta: order = 1', 'class Lease.Meta', 'field Lease.Meta.order'],
];

const shell: Lines = [
  ['VERSION=1', 'variable VERSION'],
  ['counter=1'],
  ['VERSION=2 run'],
  ['typeset -i count=0', 'variable count'],
  ['readonly A=1 B=2', 'variable A', 'variable B'],
  ['if test -z "$MODE"; then'],
  ['  MODE=fast', 'variable MODE'],
  ['fi'],
  ['function with-dash { INNER=1; local x=1; }', 'function with-dash'],
  ['ns::renew() ( nested() { :; } )', 'function ns::renew', 'function ns::renew.nested'],
];

const samples: readonly (readonly [language: string, Lines])[] = [
  ['JavaScript', ecmascript],
  ['TypeScript', ecmascript],
  ['TypeScript', typescript],
  ['TSX', typescript],
  ['Python', python],
  ['Shell', shell],
];

const queue = new ParseQueue({ log: silentLog });
afterAll(() => queue.close());

it.each(samples)('the definitions of %s are those that people write', async (language, lines) => {
  const text = lines.map(([line]) => line).join('\n');
  const [file] = await queue.parseFiles([{ path: 'file', language, text }], new AbortController().signal);
  const found = Map.groupBy(file !== undefined && 'symbols' in file ? file.symbols : [], ({ line }) => line);
  const shown = lines.map(([line], index) => [
    line,
    ...(found.get(index + 1) ?? []).map(({ kind, qualifiedName }) => `${kind} ${qualifiedName}`),
  ]);
  expect(shown).toEqual(lines);
});

function constants(names: string): readonly string[] {
  return names.split(' ').map((name) => `constant ${name}`);
}

function methods(names: string): readonly string[] {
  return names.split(' ').map((name) => `method ${name}`);
}
