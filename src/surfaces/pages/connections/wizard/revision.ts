import type { Visit } from '../../app/app-page.ts';
import type { Setup } from './setup.ts';

/** The hidden field by which a form notices that somebody else changed the choices after it was opened. */
export function revisionField({ choices }: Setup): { readonly revision: string } {
  return { revision: String(choices.revision) };
}

/** Returns the revision of the choices that the form showed; -1, which is none, for another text. */
export function revisionOf({ fields }: Visit): number {
  const text = fields['revision'] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : -1;
}
