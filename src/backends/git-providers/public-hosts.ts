/** The addresses of pages at a Git host. `repository` is the address of the repository's page. */
export interface HostPages {
  /** The page of lines of a file; `path` is encoded. */
  file(repository: string, commit: string, path: string, first: number, last: number): string;
  commit(repository: string, commit: string): string;
}

const github: HostPages = {
  file: (repository, commit, path, first, last) => `${repository}/blob/${commit}/${path}#L${first}-L${last}`,
  commit: (repository, commit) => `${repository}/commit/${commit}`,
};
const gitlab: HostPages = {
  file: (repository, commit, path, first, last) => `${repository}/-/blob/${commit}/${path}#L${first}-${last}`,
  commit: (repository, commit) => `${repository}/-/commit/${commit}`,
};
const bitbucket: HostPages = {
  file: (repository, commit, path, first, last) =>
    `${repository}/src/${commit}/${path}#lines-${first}:${last}`,
  commit: (repository, commit) => `${repository}/commits/${commit}`,
};
const gitea: HostPages = {
  file: (repository, commit, path, first, last) =>
    `${repository}/src/commit/${commit}/${path}#L${first}-L${last}`,
  commit: (repository, commit) => `${repository}/commit/${commit}`,
};

/** Page formats by host name or its first label: `gitlab.example.org` is treated as a GitLab server. */
const pages: ReadonlyMap<string, HostPages> = new Map([
  ['github.com', github],
  ['gitlab.com', gitlab],
  ['bitbucket.org', bitbucket],
  ['codeberg.org', gitea],
  ['gitea.com', gitea],
  ['github', github],
  ['gitlab', gitlab],
  ['gitea', gitea],
  ['forgejo', gitea],
]);

/** Returns the addresses of pages at a host; `undefined` if its software is not known by its name. */
export function pagesAt(hostname: string): HostPages | undefined {
  return pages.get(hostname) ?? pages.get(hostname.split('.')[0] ?? '');
}

/** Canonical names of public hosts by their aliases, including the aliases for ssh through firewalls. */
const canonicalNames: ReadonlyMap<string, string> = new Map([
  ['www.github.com', 'github.com'],
  ['ssh.github.com', 'github.com'],
  ['www.gitlab.com', 'gitlab.com'],
  ['altssh.gitlab.com', 'gitlab.com'],
  ['www.bitbucket.org', 'bitbucket.org'],
  ['altssh.bitbucket.org', 'bitbucket.org'],
]);

/** Returns the canonical name of a host. */
export function canonicalHost(hostname: string): string {
  return canonicalNames.get(hostname) ?? hostname;
}

/** The host to which names of users belong in a repository whose host is unknown, such as a folder. */
export const usualHost = 'github.com';
