import type { LineLanguage } from '../language.ts';
import { block, dashes, raw } from '../lexical/lexical-rule.ts';
import { type LineRule, rule } from '../lines/line-rule.ts';

const sqlName = '(?:[`"\\[]?\\w+[`"\\]]?\\.)?[`"\\[]?(\\w+)';
/** Returns the rule of a `CREATE` statement. Keywords may be in upper or lower case; mixed case is not used in practice. */
const created = (what: string, kind: LineRule['kind']): LineRule =>
  rule(
    kind,
    `(?:create|CREATE|Create)\\s+(?:[Oo][Rr]\\s+[Rr][Ee][Pp][Ll][Aa][Cc][Ee]\\s+)?(?:(?!(?:on|ON)\\b)\\w+\\s+){0,3}?(?:${what}|${what.toLowerCase()})\\s+(?:[Ii][Ff]\\s+[Nn][Oo][Tt]\\s+[Ee][Xx][Ii][Ss][Tt][Ss]\\s+)?${sqlName}`,
  );

export const sql: LineLanguage = {
  name: 'SQL',
  endings: 'sql ddl',
  // A name may stand between quotation marks. The body of a function between two dollar signs is code.
  lexical: [
    ...dashes,
    block('/*', '*/', { nested: '/*' }),
    raw(/(?<=\b[eE])'/y, "'", { first: "'", escape: '\\', doubled: true }),
    raw("'", "'", { doubled: true }),
    raw('"', '"', { kind: 'code', oneLine: true }),
  ],
  uses: {},
  lines: [
    created('TABLE', 'struct'),
    created('VIEW', 'struct'),
    created('FUNCTION', 'function'),
    created('PROCEDURE', 'function'),
    created('TRIGGER', 'function'),
    created('TYPE', 'type'),
    created('INDEX', 'other'),
    created('SCHEMA', 'module'),
  ],
};

export const plpgsql: LineLanguage = { ...sql, name: 'PLpgSQL', endings: 'pgsql plpgsql' };
