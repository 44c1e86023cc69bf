import { invalidField } from '../kernel/invalid-field.ts';

/** Refs are files: a component longer than a file name may be cannot be stored. */
const maxRefLength = 240;

/** What git-check-ref-format(1) forbids anywhere in a ref, and characters that nobody sees. */
const forbidden = /[\p{Cc}\p{Cf} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[-./]|[./]$|^@$|^HEAD$/u;

/** Whether Git takes it as a branch name and no command line mistakes it for an option. */
export function isRefName(text: string): boolean {
  return text !== '' && text.length <= maxRefLength && !forbidden.test(text) && text.isWellFormed();
}

/**
 * A branch name that Git takes and no command line mistakes for an option; returned unchanged.
 * @throws InvalidInput
 */
export function checkRefName(text: string): string {
  if (!isRefName(text)) {
    const advice =
      'Give the short name, such as "main" or "release/2.0"; leave it out for the default branch.';
    throw invalidField(
      'branch',
      `is not a valid branch name. ${advice}`,
      `This is not a valid branch name. ${advice}`,
    );
  }
  return text;
}
