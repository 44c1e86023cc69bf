/** What a line of code defines. */
export interface Definition {
  /** The name alone: `parseQuery`. */
  readonly name: string;
  /** As people say it: `function`, `class`, `section`. */
  readonly kind: string;
}

/** Longer lines are generated or data. */
const longestLine = 300;

const modifiers = new Set(
  (
    'export default declare pub public private protected internal static final abstract async unsafe extern override ' +
    'virtual inline sealed open data readonly partial suspend local create or replace noinline constexpr template'
  ).split(' '),
);

/** Keyword -> what people call it; the name follows the keyword. */
const keywords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    function: 'function',
    'function*': 'function',
    func: 'function',
    fn: 'function',
    fun: 'function',
    def: 'function',
    defp: 'function',
    defmacro: 'macro',
    defn: 'function',
    sub: 'function',
    proc: 'function',
    class: 'class',
    interface: 'interface',
    protocol: 'protocol',
    trait: 'trait',
    struct: 'struct',
    enum: 'enum',
    union: 'union',
    record: 'record',
    object: 'object',
    type: 'type',
    typealias: 'type',
    impl: 'implementation',
    extension: 'extension',
    module: 'module',
    mod: 'module',
    namespace: 'namespace',
    package: 'package',
    defmodule: 'module',
    macro: 'macro',
    'macro_rules!': 'macro',
    message: 'message',
    service: 'service',
    rpc: 'method',
    table: 'table',
    view: 'view',
    resource: 'resource',
    const: 'constant',
    let: 'value',
    var: 'value',
    val: 'value',
  }),
);

/** These name something worth finding only at the left margin or when a function is their value. */
const values = new Set(['constant', 'value', 'package']);

/** What stands before a parenthesis without naming a definition. */
const notCalled = new Set(
  (
    'if for while switch catch return else do try new throw await yield with when match assert require super elif using ' +
    'lock import from it describe test expect before after beforeEach afterEach beforeAll afterAll suite func function len'
  ).split(' '),
);

/** What `line` defines, as far as the line alone tells; `undefined` for all other lines. Linear in its length. */
export function definitionIn(line: string): Definition | undefined {
  if (line.length > longestLine) return undefined;
  return byKeyword(line) ?? bySignature(line);
}

function byKeyword(line: string): Definition | undefined {
  const words = line.trim().split(/[\s]+/u, 12);
  const at = words.findIndex(
    (word) => !modifiers.has(word.toLowerCase()) && !/^(?:pub\(.*\)|template<.*>)$/u.test(word),
  );
  const word = (words[at] ?? '').replace(/<.*$/u, '');
  const kind = keywords.get(word) ?? keywords.get(word.toLowerCase());
  if (kind === undefined) return undefined;
  const rest = words.slice(at + 1).join(' ');
  if (values.has(kind) && /^\s/u.test(line) && !/=>|\bfunction\b/u.test(line)) return undefined;
  const name = nameIn(rest, kind);
  return name === undefined ? undefined : { name, kind };
}

/** Go puts a receiver before the name, Rust and C++ generic parameters, HCL quotes round it. */
function nameIn(rest: string, kind: string): string | undefined {
  const text = rest
    .replace(/^\([^)]*\)\s*/u, '')
    .replace(/^<[^>]*>\s*/u, '')
    .replace(/^(?:class|struct)\s+/u, '');
  const [whole = '', name] = /^["'`]?([\p{L}_$][\p{L}\p{N}_$.:!?-]*)["'`]?/u.exec(text) ?? [];
  if (name === undefined || (!values.has(kind) && !goesOnAsCode(text.slice(whole.length)))) return undefined;
  return name.replace(/[.:-]+$/u, '');
}

/** Comments say `type of` and `object to add` too: after a name defined come signs or one of a few words. */
function goesOnAsCode(rest: string): boolean {
  return /^\s*(?:$|[^\p{L}\s])|^\s+(?:extends|implements|with|where|is|do|from|struct|interface|func|as|on|for|returns|of|permits)\b|[{:(=]\s*$/u.test(
    rest,
  );
}

/** `name(…) {`, `Type name(…)`, `name: (…) =>`: methods, and functions of the C family at the left margin. */
function bySignature(line: string): Definition | undefined {
  const opens =
    /[{(,]\s*$|\)\s*:\s*[\w<>[\]|. ]+\s*\{?\s*$|\)\s*(?:const|noexcept|throws [\w., ]+)?\s*\{?\s*$/u.test(
      line,
    );
  const paren = line.indexOf('(');
  if (!opens || paren < 0 || /[;=.]\s*$/u.test(line)) return undefined;
  const head = line.slice(0, paren).trim();
  const words = head.split(/\s+/u);
  const name = (words.at(-1) ?? '').replace(/^[*&]+/u, '');
  if (
    !/^[\p{L}_$~#][\p{L}\p{N}_$:~]*$/u.test(name) ||
    modifiers.has(name) ||
    words.some((word) => notCalled.has(word))
  )
    return undefined;
  const isIndented = /^\s/u.test(line);
  const isMethod = isIndented && /\{\s*$/u.test(line) && /^[\w\s<>[\],?*&#~$:@]+$/u.test(head);
  const isFunction = !isIndented && words.length > 1 && /^[\w\s<>[\],*&:~]+$/u.test(head);
  if (isMethod) return { name: name.replace(/^#/u, ''), kind: 'method' };
  return isFunction ? { name: name.slice(name.lastIndexOf(':') + 1), kind: 'function' } : undefined;
}
