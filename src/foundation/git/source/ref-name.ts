import { invalidField } from '../../kernel/wire/invalid-field.ts';

/** Maximum length of a ref name. Refs are files, so a component longer than a file name cannot be stored. */
const maxRefLength = 240;

/**
 * Text that git-check-ref-format(1) forbids in a ref, invisible characters, and the character that stands for bytes
 * that are not UTF-8: no other text names such a ref.
 */
const forbidden = /[\p{Cc}\p{Cf}\uFFFD ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[-./]|[./]$|^@$|^HEAD$/u;

/** Returns whether Git accepts the text as a branch name and no command line mistakes it for an option. */
export function isRefName(text: string): boolean {
  return text !== '' && text.length <= maxRefLength && !forbidden.test(text) && text.isWellFormed();
}

/**
 * Checks a branch name and returns it unchanged.
 * @throws InvalidInput unless `isRefName`
 */
export function checkRefName(text: string): string {
  if (!isRefName(text)) {
    const advice = 'Use the short name, such as "main" or "release/2.0", or omit it for the default branch.';
    throw invalidField(
      'branch',
      `is not a valid branch name. ${advice}`,
      `This is not a valid branch name. ${advice}`,
    );
  }
  return text;
}
