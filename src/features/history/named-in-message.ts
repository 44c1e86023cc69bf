import { commitFacts, RenamedPaths } from '../knowledge/links/commit-facts.ts';

/** Names of standards, and of branches, that look like identifiers of issues. */
const otherName =
  /^(?:AES|ASCII|BASE|BSD|CC|CP|CRC|CWE|ECMA|ED|ES|FIPS|GB|GPL|HS|HTTP|IEC|IEEE|ISO|IPV|JDK|LGPL|MD|PATCH|PEP|PHASE|RELEASE|RFC|RS|RSA|SHA|TLS|UCS|UTF|V|VERSION|X)-\d+$/;
const maxIssues = 20;

/** Returns the pull request and the issues that a message names, as the knowledge graph does, but no standards. */
export function namedInMessage(
  id: string,
  message: string,
): { readonly pullRequest?: number; readonly issues: readonly string[] } {
  const nobody = { name: '', email: '' };
  const facts = commitFacts(
    { repositoryId: 'none', hosted: undefined, mailmap: (person) => person, renames: new RenamedPaths() },
    { id, time: 0, author: nobody, committer: nobody, message, paths: [], changed: 0 },
  );
  const number = facts.nodes.find(({ kind }) => kind === 'pr')?.props['number'];
  const names = facts.mentions
    .filter(({ rule }) => ['identifier', 'closing-verb', 'branch'].includes(rule))
    .map(({ name }) => name)
    .filter((name) => !otherName.test(name));
  const issues = [...new Set(names)].slice(0, maxIssues);
  return { ...(typeof number === 'number' ? { pullRequest: number } : {}), issues };
}

interface Naming {
  readonly subject: string;
  readonly pullRequest?: number | undefined;
  readonly issues: readonly string[];
}

/** Returns the pull request and the issues of a commit that its subject does not name. */
export function namedBeside({ subject, pullRequest, issues }: Naming): readonly string[] {
  const words = new Set(subject.split(/[^\w#-]+/));
  const all = [...(pullRequest === undefined ? [] : [`#${pullRequest}`]), ...issues];
  return all.filter((each) => !words.has(each));
}
