import { type LanguageRules, type LineRule, namePattern, slashStar } from './line-rule.ts';

export const protocolBuffer: LanguageRules = {
  blocks: slashStar,
  rules: [
    { pattern: `message\\s+(${namePattern})\\s*(?:\\{|$)`, kind: 'struct', words: ['message'] },
    { pattern: `enum\\s+(${namePattern})\\s*(?:\\{|$)`, kind: 'enum', words: ['enum'] },
    { pattern: `service\\s+(${namePattern})`, kind: 'interface', words: ['service'] },
    { pattern: `rpc\\s+(${namePattern})\\s*\\(?`, kind: 'method', words: ['rpc'] },
  ],
};

export const thrift: LanguageRules = {
  blocks: slashStar,
  rules: [
    {
      pattern: `(?:struct|union|exception)\\s+(${namePattern})`,
      kind: 'struct',
      words: ['struct', 'union', 'exception'],
    },
    { pattern: `enum\\s+(${namePattern})`, kind: 'enum', words: ['enum'] },
    { pattern: `service\\s+(${namePattern})`, kind: 'interface', words: ['service'] },
    { pattern: `typedef\\s+\\S+\\s+(${namePattern})`, kind: 'type', words: ['typedef'] },
    { pattern: `const\\s+\\S+\\s+(${namePattern})\\s*=`, kind: 'constant', words: ['const'] },
  ],
};

export const graphql: LanguageRules = {
  blocks: [{ open: '"""', close: '"""' }],
  rules: [
    { pattern: `(?:type|input)\\s+(${namePattern})`, kind: 'struct', words: ['type', 'input'] },
    { pattern: `interface\\s+(${namePattern})`, kind: 'interface', words: ['interface'] },
    { pattern: `(?:union|scalar)\\s+(${namePattern})`, kind: 'type', words: ['union', 'scalar'] },
    { pattern: `enum\\s+(${namePattern})`, kind: 'enum', words: ['enum'] },
    {
      pattern: `(?:query|mutation|subscription|fragment)\\s+(${namePattern})`,
      kind: 'function',
      words: ['query', 'mutation', 'subscription', 'fragment'],
    },
  ],
};

const sqlName = '(?:[`"\\[]?\\w+[`"\\]]?\\.)?[`"\\[]?(\\w+)';
/**
 * Returns the rules of a `CREATE` statement. Keywords may be in upper or lower case; mixed case is not used in
 * practice.
 */
const created = (what: string, kind: LineRule['kind']): LineRule[] =>
  ['create', 'CREATE', 'Create'].map((word) => ({
    pattern: `${word}\\s+(?:[Oo][Rr]\\s+[Rr][Ee][Pp][Ll][Aa][Cc][Ee]\\s+)?(?:(?!(?:on|ON)\\b)\\w+\\s+){0,3}?(?:${what}|${what.toLowerCase()})\\s+(?:[Ii][Ff]\\s+[Nn][Oo][Tt]\\s+[Ee][Xx][Ii][Ss][Tt][Ss]\\s+)?${sqlName}`,
    kind,
    words: [word],
  }));

export const sql: LanguageRules = {
  blocks: slashStar,
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
  blocks: slashStar,
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
  members: { locals: [{ pattern: `(${namePattern})\\s*=`, kind: 'constant' }] },
};
