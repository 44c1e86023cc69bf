import { anyOf, type LanguageRules, namePattern, slashStar, wordsOf } from './line-rule.ts';

const exported = anyOf(['export', 'default', 'declare', 'abstract', 'async']);
const leading = ['export', 'default', 'declare', 'abstract', 'async'];
const memberPattern = anyOf(
  wordsOf('public private protected static override abstract readonly declare async accessor get set'),
);
const statement =
  '(?!(?:if|for|while|switch|return|catch|super|await|throw|new|typeof|else|do|case|try|yield|delete|void|with)\\b)';
/** A value that is a function, as far as its first line shows. */
const functionValue = `(?:async\\s*)?(?:function\\b|(?:<[^>]*>)?\\([^()]*\\)\\s*(?::[^=]+)?=>|${namePattern}\\s*=>|(?:<[^>]*>)?\\(\\{?\\s*$)`;
const assigned = `(?::[^=]*)?=\\s*${functionValue}`;
/** The condition of an export, as in `export default isSupported && function () {`. */
const condition = `(?:!?[\\w$.]+\\s*&&\\s*\\(?)?`;
const moduleExports = '(?:exports\\s*=\\s*)?module\\.exports';
const namedFunction = `(?:async\\s+)?function\\s*\\*?\\s*(${namePattern})`;
/** A module that is loaded: its name is an import. */
const notLoaded = '(?!\\s*=\\s*require\\s*\\()';

/** Parameters, a type that is returned, and the beginning of a body at the end of the line. */
const parameters = `\\([^()]*\\)\\s*(?::[^{=]+)?\\{\\s*$`;

const method = {
  pattern: `${statement}${memberPattern}\\*?\\s*#?(${namePattern})\\s*[?!]?\\s*(?:<[^(]*>?)?\\(`,
  kind: 'method',
} as const;

/** Rules for TypeScript and JavaScript, with their dialects. */
export const ecmascript: LanguageRules = {
  blocks: slashStar,
  rules: [
    {
      pattern: `${exported}function\\s*\\*?\\s*(${namePattern})`,
      kind: 'function',
      words: [...leading, 'function'],
    },
    {
      pattern: `${exported}class\\s+(?!extends\\b)(${namePattern})`,
      kind: 'class',
      words: [...leading, 'class'],
      opens: 'class',
    },
    {
      pattern: `export\\s+default\\s+${condition}${namedFunction}`,
      kind: 'function',
      words: ['export'],
    },
    // An export without a name has the name by which it is imported.
    {
      pattern: `export\\s+(default)\\s+${condition}${functionValue}`,
      kind: 'function',
      words: ['export'],
    },
    {
      pattern: `export\\s+(default)\\s+(?:abstract\\s+)?class\\b`,
      kind: 'class',
      words: ['export'],
      opens: 'class',
    },
    {
      pattern: `${exported}interface\\s+(${namePattern})\\s*(?:[<{]|extends\\b|$)`,
      kind: 'interface',
      words: ['export', 'declare', 'interface'],
      opens: 'interface',
    },
    {
      pattern: `${exported}type\\s+(${namePattern})\\s*(?:[<=]|$)`,
      kind: 'type',
      words: ['export', 'declare', 'type'],
    },
    {
      pattern: `${exported}(?:const\\s+)?enum\\s+(${namePattern})`,
      kind: 'enum',
      words: ['export', 'declare', 'const', 'enum'],
    },
    {
      pattern: `${exported}(?:namespace|module)\\s+([\\w$.]+)\\s*\\{`,
      kind: 'module',
      words: ['export', 'declare', 'namespace', 'module'],
      opens: 'namespace',
    },
    {
      pattern: `${exported}(?:const|let|var)\\s+(${namePattern})\\s*${assigned}`,
      kind: 'function',
      words: ['export', 'declare', 'const', 'let', 'var'],
    },
    {
      pattern: `${exported}const\\s+(${namePattern})${notLoaded}\\s*(?:[:=]|$)`,
      kind: 'constant',
      words: ['export', 'declare', 'const'],
      place: 'outer',
    },
    {
      pattern: `${exported}(?:let|var)\\s+(${namePattern})${notLoaded}\\s*(?:[:=;,]|$)`,
      kind: 'variable',
      words: ['export', 'declare', 'let', 'var'],
      place: 'outer',
    },
    {
      pattern: `${moduleExports}\\s*=\\s*${namedFunction}`,
      kind: 'function',
      words: ['module', 'exports'],
    },
    {
      pattern: `(?:exports\\s*=\\s*)?module\\.(exports)\\s*=\\s*${functionValue}`,
      kind: 'function',
      words: ['module', 'exports'],
    },
    {
      pattern: `(?:module\\.)?exports\\.(${namePattern})\\s*=\\s*${functionValue}`,
      kind: 'function',
      words: ['module', 'exports'],
    },
    {
      pattern: `(?:${namePattern}\\.)+(${namePattern})\\s*=\\s*(?:async\\s*)?(?:function\\b|\\([^()]*\\)\\s*=>|${namePattern}\\s*=>)`,
      kind: 'method',
      place: 'top',
    },
    // Members of an object literal: no call ends with the brace of a body.
    { pattern: `(?:get|set)\\s+(${namePattern})\\s*${parameters}`, kind: 'method', words: ['get', 'set'] },
    {
      pattern: `${statement}(?:async\\s+)?\\*?(?!function\\b)(${namePattern})\\s*${parameters}`,
      kind: 'method',
    },
    {
      pattern: `(?:(?:Object|Reflect)\\.)?define(?:Property|Getter|Setter)\\(\\s*[\\w$.\\x80-\\xff]+\\s*,\\s*['"](?!__esModule)(${namePattern})['"]\\s*,`,
      kind: 'method',
      words: ['Object', 'Reflect', 'defineProperty', 'defineGetter', 'defineSetter'],
    },
  ],
  members: {
    class: [
      method,
      // Its type parameters begin on the next line.
      { pattern: `${memberPattern}\\*?\\s*#?(${namePattern})\\s*<\\s*$`, kind: 'method' },
      { pattern: `${memberPattern}#?(${namePattern})\\s*[?!]?\\s*${assigned}`, kind: 'method' },
      { pattern: `${memberPattern}#?(${namePattern})\\s*[?!]?\\s*[:=;]`, kind: 'field' },
    ],
    interface: [method],
    namespace: [],
  },
};
