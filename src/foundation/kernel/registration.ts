import { withoutEnd } from './text/cut-text.ts';

/** The registration of this service at a provider, which a person does there. `docs` has a page for each. */
export interface Registration {
  /** Address of the page where it begins; for a Git host, its path below the web URL of the host. */
  readonly page: string;
  /** The fields of the form, in its order: the label that the form shows, and what to enter or tick. */
  readonly fields: readonly (readonly [label: string, value: string])[];
  /** Further notes, one sentence each. */
  readonly notes: readonly string[];
}

/** Returns the registration as steps, one sentence each. */
export function registrationSteps({
  fields,
  notes,
}: Pick<Registration, 'fields' | 'notes'>): readonly string[] {
  return [...fields.map(([label, value]) => `${label}: ${value}`), ...notes];
}

/** Returns the address at which a person registers this service at a Git host; `url` is the web URL of the host. */
export function registrationPage(
  { registration, publicUrl }: { registration: Registration | undefined; publicUrl: string | undefined },
  url = publicUrl ?? '<host-url>',
): string | undefined {
  return registration && `${withoutEnd(url, '/')}${registration.page}`;
}
