import { type LanguageRules, type LineRule, NAME, SLASH_STAR } from './line-rule.ts';

export const protocolBuffer: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    { pattern: `message\\s+(${NAME})\\s*(?:\\{|$)`, kind: 'struct', words: ['message'] },
    { pattern: `enum\\s+(${NAME})\\s*(?:\\{|$)`, kind: 'enum', words: ['enum'] },
    { pattern: `service\\s+(${NAME})`, kind: 'interface', words: ['service'] },
    { pattern: `rpc\\s+(${NAME})\\s*\\(?`, kind: 'method', words: ['rpc'] },
  ],
};

export const thrift: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `(?:struct|union|exception)\\s+(${NAME})`,
      kind: 'struct',
      words: ['struct', 'union', 'exception'],
    },
    { pattern: `enum\\s+(${NAME})`, kind: 'enum', words: ['enum'] },
    { pattern: `service\\s+(${NAME})`, kind: 'interface', words: ['service'] },
    { pattern: `typedef\\s+\\S+\\s+(${NAME})`, kind: 'type', words: ['typedef'] },
    { pattern: `const\\s+\\S+\\s+(${NAME})\\s*=`, kind: 'constant', words: ['const'] },
  ],
};

export const graphql: LanguageRules = {
  blocks: [{ open: '"""', close: '"""' }],
  rules: [
    { pattern: `(?:type|input)\\s+(${NAME})`, kind: 'struct', words: ['type', 'input'] },
    { pattern: `interface\\s+(${NAME})`, kind: 'interface', words: ['interface'] },
    { pattern: `(?:union|scalar)\\s+(${NAME})`, kind: 'type', words: ['union', 'scalar'] },
    { pattern: `enum\\s+(${NAME})`, kind: 'enum', words: ['enum'] },
    {
      pattern: `(?:query|mutation|subscription|fragment)\\s+(${NAME})`,
      kind: 'function',
      words: ['query', 'mutation', 'subscription', 'fragment'],
    },
  ],
};

const SQL_NAME = '(?:[`"\\[]?\\w+[`"\\]]?\\.)?[`"\\[]?(\\w+)';
/** Keywords come in either case; mixed, nobody writes them. */
const created = (what: string, kind: LineRule['kind']): LineRule[] =>
  ['create', 'CREATE', 'Create'].map((word) => ({
    pattern: `${word}\\s+(?:[Oo][Rr]\\s+[Rr][Ee][Pp][Ll][Aa][Cc][Ee]\\s+)?(?:(?!(?:on|ON)\\b)\\w+\\s+){0,3}?(?:${what}|${what.toLowerCase()})\\s+(?:[Ii][Ff]\\s+[Nn][Oo][Tt]\\s+[Ee][Xx][Ii][Ss][Tt][Ss]\\s+)?${SQL_NAME}`,
    kind,
    words: [word],
  }));

export const sql: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    ...created('TABLE', 'struct'),
    ...created('VIEW', 'struct'),
    ...created('FUNCTION', 'function'),
    ...created('PROCEDURE', 'function'),
    ...created('TRIGGER', 'function'),
    ...created('TYPE', 'type'),
    ...created('INDEX', 'other'),
    ...created('SCHEMA', 'module'),
  ],
};

const label = '"([^"]+)"';

export const hcl: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `(?:resource|data|ephemeral)\\s+"[^"]+"\\s+${label}`,
      kind: 'struct',
      words: ['resource', 'data', 'ephemeral'],
      place: 'top',
    },
    { pattern: `variable\\s+${label}`, kind: 'variable', words: ['variable'], place: 'top' },
    { pattern: `output\\s+${label}`, kind: 'constant', words: ['output'], place: 'top' },
    { pattern: `module\\s+${label}`, kind: 'module', words: ['module'], place: 'top' },
    { pattern: `provider\\s+${label}`, kind: 'other', words: ['provider'], place: 'top' },
    { pattern: 'locals\\s*\\{', kind: 'other', words: ['locals'], place: 'top', opens: 'locals' },
  ],
  members: { locals: [{ pattern: `(${NAME})\\s*=`, kind: 'constant' }] },
};
