import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** A long input: `begin`, then `pump` as often as it fits, then `end`. */
export interface HostileInput {
  readonly begin: string;
  readonly pump: string;
  readonly end: string;
}

/** Ends that make a pattern fail after a long run: each is a character that some `.`, `\s` or class leaves out. */
const ends = ['', '!', '\r', '\u2028', '\n'];
/** Characters and texts that are repeated for every pattern. */
const family = [
  ...Array.from(' \t\r\n\u2028aA0_-.,:;=/\\|"\'`#@*&+<>()[]{}é\u{1F600}'),
  ...'a | a|a.|/a|\r\n|\n |- |(a|[a|<a|"a'.split('|'),
];
/** Maximum number of characters of a class that are tried, and of samples of a group. */
const max = { characters: 12, samples: 3, repetitions: 60 } as const;

/**
 * Yields inputs that may take a pattern more than linear time. Each repetition of the pattern is reached by a text that
 * the part before it matches, and fed with what it repeats. A fixed family of inputs follows.
 */
export function* hostileInputs(source: string, flags: string): Generator<HostileInput> {
  const seen = new Set<string>();
  for (const [begin, pump] of pumps(source, flags)) {
    if (pump === '' || seen.has(`${begin}\0${pump}`)) continue;
    seen.add(`${begin}\0${pump}`);
    for (const end of ends) yield { begin, pump, end };
  }
}

function* pumps(source: string, flags: string): Generator<readonly [begin: string, pump: string]> {
  const unicode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, unicode);
  const sampler = openSampler(pattern, flags);
  const repeated: AST.Quantifier[] = [];
  visitRegExpAST(pattern, {
    onQuantifierEnter: (quantifier) => {
      if (quantifier.max > 1) repeated.push(quantifier);
    },
  });
  for (const quantifier of repeated) {
    const bodies = sampler.all(quantifier.element);
    for (let variant = 0; variant < max.samples; variant += 1) {
      const begin = sampler.before(quantifier, variant);
      const body = sampler.one(quantifier.element, variant);
      for (const pump of bodies) yield [begin, pump];
      // A pattern that begins with another alternative does not match what it repeats, but for a character before it.
      if (variant === 0) for (const pump of bodies) yield [`!a${begin}`, pump];
      // Each repetition starts a match of its own.
      for (const pump of [begin, begin + body, ` ${begin}${body}`, `${begin}${body}\n`]) yield ['', pump];
    }
  }
  for (const pump of [...family, ...sampler.alphabet]) yield ['', pump];
}

interface Sampler {
  /** The characters that the pattern names, and common ones. */
  readonly alphabet: readonly string[];
  /** Returns a text that an element matches, as far as that is easy to tell. */
  one(element: AST.Element | AST.Alternative, variant: number): string;
  /** Returns several such texts. */
  all(element: AST.Element): readonly string[];
  /** Returns a text that the pattern matches before an element. */
  before(element: AST.Element, variant: number): string;
}

function openSampler(pattern: AST.Pattern, flags: string): Sampler {
  const alphabet = alphabetOf(pattern);
  const accepted = new Map<string, readonly string[]>();
  const charactersOf = (raw: string): readonly string[] => {
    const known = accepted.get(raw);
    if (known !== undefined) return known;
    const member = new RegExp(`^${raw}$`, flags.replaceAll(/[gym]/g, ''));
    const found = alphabet.filter((character) => member.test(character));
    accepted.set(raw, found);
    return found;
  };
  const one = (node: AST.Element | AST.Alternative, variant: number): string => {
    switch (node.type) {
      case 'Alternative':
        return node.elements.map((element) => one(element, variant)).join('');
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass': {
        const found = charactersOf(node.raw);
        return found[variant % Math.max(1, found.length)] ?? '';
      }
      case 'Group':
      case 'CapturingGroup': {
        const chosen = node.alternatives[variant % node.alternatives.length];
        return chosen === undefined ? '' : one(chosen, variant);
      }
      case 'Quantifier': {
        const times = Math.min(max.repetitions, node.min || (variant === 0 ? 0 : 1));
        return one(node.element, variant).repeat(Math.min(times, node.max));
      }
      default:
        return '';
    }
  };
  const all = (node: AST.Element): readonly string[] => {
    switch (node.type) {
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return spread(charactersOf(node.raw), max.characters);
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives.flatMap((alternative) =>
          Array.from({ length: max.samples }, (_, variant) => one(alternative, variant)),
        );
      default:
        return [one(node, 0), one(node, 1)];
    }
  };
  return { alphabet, one, all, before: (element, variant) => textBefore(element, variant, one) };
}

/** Returns what the elements before a node match, those around its groups included. */
function textBefore(node: AST.Node, variant: number, one: Sampler['one']): string {
  let text = '';
  for (let at: AST.Node | null = node; at !== null; at = at.parent) {
    const { parent } = at;
    if (parent?.type !== 'Alternative') continue;
    const before = parent.elements.slice(
      0,
      parent.elements.findIndex((element) => element === at),
    );
    text = before.map((element) => one(element, variant)).join('') + text;
  }
  return text;
}

/** Returns the characters that a pattern names, the ends of its ranges, and common ones. */
function alphabetOf(pattern: AST.Pattern): readonly string[] {
  const named = new Set<string>();
  visitRegExpAST(pattern, {
    onCharacterEnter: ({ value }) => void named.add(String.fromCodePoint(value)),
  });
  return [...new Set([...family.filter((text) => Array.from(text).length === 1), ...named])];
}

/** Returns at most `count` of some values, spread over all of them. */
function spread(values: readonly string[], count: number): readonly string[] {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, at) => values[Math.floor((at * values.length) / count)] ?? '');
}
