/** The words by which a line tells how it uses a name. Signs that all languages share, such as brackets, are no part. */
export interface UseRules {
  /** Matches the beginning of a statement that imports or re-exports names. */
  readonly importStart?: RegExp;
  /** Matches what follows the names that an expression imports. */
  readonly importAfter?: RegExp;
  /** Matches what is before the name of a type that is constructed. */
  readonly constructs?: RegExp;
  /** Matches what follows a name that is written, besides the usual operators. */
  readonly writeAfter?: RegExp;
}

/** Returns the rule of statements that begin with words. They import nothing where such a word is used as a name. */
export function importing(words: string): Pick<UseRules, 'importStart'> {
  return { importStart: new RegExp(`^\\s*(?:${words})\\b(?![.:;]|\\s*[=(])`) };
}

export const constructing: UseRules = { constructs: /\bnew\s+(?:[\w$.]*\.)?$/ };

/** The rules of languages that have none of their own. */
export const usualUses: UseRules = {
  ...importing('(?:static\\s+)?(?:import|use|using|from|require|open|@import|#\\s*(?:include|import))'),
  ...constructing,
};
