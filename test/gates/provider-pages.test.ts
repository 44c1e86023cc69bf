import { describe, expect, it } from 'vitest';
import { gitProviders } from '../../src/app/open/git-providers.ts';
import { connectors } from '../../src/features/connectors/registry.ts';
import { readPage, tableRows } from '../support/run/readme.ts';

/** Returns the hosts of the addresses among some texts. */
function hostsOf(texts: readonly (string | undefined)[]): readonly string[] {
  const urls = texts.filter((text) => text?.startsWith('https://')).map((text) => new URL(text ?? ''));
  return [...new Set(urls.map(({ hostname }) => hostname))];
}

const ofConnectors = connectors.map(({ kind, product, registration, settings }) => ({
  words: `${kind} (${product})`,
  page: `docs/${product.toLowerCase()}.md`,
  registration,
  opens: registration.page,
  hosts: hostsOf([registration.page, ...Object.values(settings.table).map(({ fallback }) => fallback)]),
}));

const ofGitHosts = gitProviders.flatMap(({ kind, product, publicUrl, apiUrlOf, registration }) => {
  if (registration === undefined) return [];
  return {
    words: product,
    page: `docs/${kind}.md`,
    registration,
    opens: registration.page,
    hosts: hostsOf(publicUrl === undefined ? [] : [publicUrl, apiUrlOf(publicUrl)]),
  };
});

describe.each([...ofConnectors, ...ofGitHosts])('$page', ({ words, page, registration, opens, hosts }) => {
  it('says which product it is, and where its form is', () => {
    const text = readPage(page);
    expect(text).toContain(words);
    expect(text).toContain(opens);
  });

  it('lists the fields of the form as the wizard does', () => {
    expect(tableRows(readPage(page), 'field')).toEqual(registration.fields);
  });

  it('has every note of the wizard', () => {
    const text = readPage(page);
    expect(registration.notes.filter((note) => !text.includes(note))).toEqual([]);
  });

  it('lists every host of the defaults', () => {
    const listed = tableRows(readPage(page), 'host').map(([host]) => host);
    expect(listed).toEqual(expect.arrayContaining([...hosts]));
    expect(
      listed.filter((host) => host?.includes('.') && !host.startsWith('*') && !hosts.includes(host)),
    ).toEqual([]);
  });
});
